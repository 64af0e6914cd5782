@testable import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import Testing

/// Where a host believes that coordinators run (K7).
@Suite("Known places of coordinators")
struct KnownPlacesTests {
  private var places = KnownPlaces()

  private func place(_ screen: UInt32, in scene: String = "main", life: UInt64 = 1) -> KnownPlaces.Place {
    KnownPlaces.Place(scene: SceneIdentity(name: scene, app: "shop", incarnation: life), screen: ScreenID(screen))
  }

  @Test("a place that was learnt may be asked straight away: it alone, of its scene and of that scene's life")
  mutating func learnt() {
    #expect(places.node(of: place(1)) == nil && places.lastNode(of: place(1)) == nil)
    places.learn(place(1), at: "shop-1")
    #expect(places.node(of: place(1)) == "shop-1" && places.lastNode(of: place(1)) == "shop-1")
    for other in [place(2), place(1, in: "side"), place(1, life: 2)] { #expect(places.node(of: other) == nil) }
    places.learn(place(1), at: "shop-2")
    #expect(places.node(of: place(1)) == "shop-2")
  }

  @Test("a host that is gone makes its places doubtful and nobody else's; the broker's word ends the doubt")
  mutating func lost() {
    places.learn(place(1), at: "shop-1")
    places.learn(place(2), at: "shop-2")
    places.learn(place(3), at: "shop-1")
    places.lost("shop-1")
    for screen in [1, 3] as [UInt32] {
      #expect(places.node(of: place(screen)) == nil)
      #expect(places.lastNode(of: place(screen)) == "shop-1", "for when nobody knows better")
    }
    #expect(places.node(of: place(2)) == "shop-2")
    places.learn(place(1), at: "shop-1")
    #expect(places.node(of: place(1)) == "shop-1" && places.node(of: place(3)) == nil)
  }

  @Test("one place whose host cannot be reached is doubtful alone; one where it runs no more is not known at all")
  mutating func doubtful() {
    places.learn(place(1), at: "shop-1")
    places.learn(place(2), at: "shop-1")
    places.doubt(place(1))
    #expect(places.node(of: place(1)) == nil && places.lastNode(of: place(1)) == "shop-1")
    #expect(places.node(of: place(2)) == "shop-1")
    places.forget(place(2))
    #expect(places.node(of: place(2)) == nil && places.lastNode(of: place(2)) == nil)
    places.doubt(place(7))
    #expect(places.lastNode(of: place(7)) == nil)
  }

  @Test("they are as many as the bound, and past it are learnt anew")
  mutating func bound() {
    for screen in 1...UInt32(KnownPlaces.limit) { places.learn(place(screen), at: "shop-1") }
    places.learn(place(1), at: "shop-2")
    #expect(places.node(of: place(1)) == "shop-2" && places.node(of: place(2)) == "shop-1", "one that is known takes no more room")
    places.learn(place(UInt32(KnownPlaces.limit) + 1), at: "shop-3")
    #expect(places.node(of: place(UInt32(KnownPlaces.limit) + 1)) == "shop-3")
    #expect(places.node(of: place(1)) == nil && places.node(of: place(2)) == nil)
  }
}
