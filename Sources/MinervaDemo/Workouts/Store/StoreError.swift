public import MinervaWire

extension MinervaError.Code {
  /// The person may not do this.
  public static let appUnauthorized: Self = "app.unauthorized"
  /// The text is no e-mail address.
  public static let appInvalidEmail: Self = "app.invalid_email"
  /// The e-mail address is taken.
  public static let appExists: Self = "app.exists"
  /// Nobody and nothing of that number.
  public static let appDoesNotExist: Self = "app.does_not_exist"
  /// The e-mail address and the password do not belong together.
  public static let appWrongCredentials: Self = "app.wrong_credentials"
  /// A value the app does not take.
  public static let appInvalidValue: Self = "app.invalid_value"
}
