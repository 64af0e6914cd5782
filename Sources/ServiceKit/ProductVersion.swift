/// The version that programs print and peers tell each other.
package enum ProductVersion {
  package static let text = "0.1.0"
}
