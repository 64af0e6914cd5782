@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import Testing

/// Which host makes a module.
@Suite("Placement of modules") struct PlacementTests {
  /// The hosts that were asked to make modules since the last look.
  private func asked(_ machine: inout Machine) -> [String] {
    machine.commit()
    let hosts = machine.actions.compactMap { if case .connect(let host, _) = $0 { host } else { nil } }
    machine.settle()
    return hosts
  }

  private func open(_ module: String, _ txn: String, _ machine: inout Machine) -> (hosts: [String], token: UInt64) {
    let token = machine.request(.open(Command.Opening(ModuleAddress(module) ?? ModuleAddress(name: module))), txn: txn)
    return (asked(&machine), token)
  }

  @Test("L6: a module is made by the least loaded host that offers it, by name at a tie")
  func leastLoaded() {
    var machine = Machine()
    machine.register("shop-2", incarnation: 2)
    machine.register("shop-1", incarnation: 1)
    machine.register("shop-3", incarnation: 3, modules: ["Detail"])
    let hosts = (1...4).flatMap { open("Home", "t\($0)", &machine).hosts }
    #expect(hosts == ["shop-1", "shop-2", "shop-1", "shop-2"])
    #expect(open("Detail", "d", &machine).hosts == ["shop-3"])
    // Two screens of shop-1 leave: it has room again.
    machine.request(.close([.id(ScreenID(3))]), txn: "close")
    machine.settle()
    #expect(open("Home", "u1", &machine).hosts == ["shop-1"])
    #expect(open("Home", "u2", &machine).hosts == ["shop-2"])
  }

  @Test("L6: a pin is kept, whatever the load, and a pin to a host without the module is refused")
  func pins() {
    var machine = Machine()
    machine.register("shop-1", incarnation: 1)
    machine.register("shop-2", incarnation: 2, modules: ["Home"])
    let hosts = (1...3).flatMap { open("Home@shop-2", "t\($0)", &machine).hosts }
    #expect(hosts == ["shop-2", "shop-2", "shop-2"])
    for (number, address) in ["Home@shop-9", "Detail@shop-2"].enumerated() {
      let refused = open(address, "r\(number)", &machine)
      #expect(refused.hosts == [])
      #expect(machine.refusal(of: refused.token) == "module.bad_address")
    }
  }

  @Test("L6: what is no address does not read", arguments: ["", "@", "Home@", "@shop-1", "Home@a@b", "/Home", "shop/", "a/b/c", "shop/@x"])
  func malformed(text: String) {
    #expect(ModuleAddress(text) == nil)
  }
}
