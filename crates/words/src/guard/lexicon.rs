//! The words around secrets, as data, language by language: names of passwords, codes, keys and cards; words such as "is" between a name and
//! its value; and values that are no secrets, such as "unknown".

use Value::{Check, Code, Cookie, Header, Key, Password, Person, Phrase, Token, Weak};

/// What stands after a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Value {
    Password,
    /// A password behind a name that more often says something else: only what no word looks like.
    Weak,
    Key,
    Token,
    /// A short code: digits, or groups of letters and digits.
    Code,
    /// The three or four digits on a card.
    Check,
    /// A line of words.
    Phrase,
    /// A scheme and a credential.
    Header,
    /// Names and values to the end of the line.
    Cookie,
    /// The number of a person.
    Person,
}

/// Names that end an identifier, without its separators. Short ones must be a part of it: `DB_PASS`, `dbPass`, but not "bypass".
#[rustfmt::skip]
pub const NAMES: &[(&str, Value)] = &[
    ("password", Password), ("passwd", Password), ("passphrase", Password), ("passcode", Code), ("requirepass", Password), ("storepass", Password),
    ("keypass", Password), ("pwd", Password), ("pass", Password), ("pw", Password), ("pswd", Password), ("psw", Password), ("pin", Code),
    ("otp", Code), ("totp", Code), ("cvv", Check), ("cvc", Check), ("cvv2", Check), ("ssn", Person), ("apikey", Key), ("accesskey", Key),
    ("accesskeyid", Key), ("secretkey", Key), ("secretaccesskey", Key), ("privatekey", Key), ("signingkey", Key), ("encryptionkey", Key),
    ("accountkey", Key), ("authkey", Key), ("storagekey", Key), ("masterkey", Key), ("consumerkey", Key), ("subscriptionkey", Key),
    ("hmackey", Key), ("sharedaccesskey", Key), ("functionkey", Key), ("deploykey", Key), ("appkey", Key), ("licensekey", Key),
    ("clientsecret", Key), ("secret", Key), ("secretid", Key), ("keybase", Key), ("key", Key), ("token", Token), ("bearer", Token), ("jwt", Token),
    ("credential", Token), ("credentials", Token), ("sessionid", Token), ("phpsessid", Token), ("jsessionid", Token), ("sid", Token), ("sig", Token),
    ("signature", Token), ("csrftoken", Token), ("auth", Token), ("authorization", Header), ("authorisation", Header), ("cookie", Cookie),
    // de, fr, es, pt, nl
    ("passwort", Password), ("kennwort", Password), ("geheimzahl", Code), ("zugangscode", Code), ("sicherheitscode", Code),
    ("entsperrcode", Code), ("motdepasse", Password), ("mdp", Password), ("contrasena", Password), ("senha", Password), ("wachtwoord", Password),
    ("pincode", Code), ("toegangscode", Code), ("inlogcode", Code), ("verificatiecode", Code), ("beveiligingscode", Code),
    // sv, pl, ro (and "word" in Italian)
    ("losenord", Password), ("haslo", Password), ("parola", Weak),
];

/// Names of several words, and names with letters beyond ASCII, in lower case.
#[rustfmt::skip]
pub const PHRASES: &[(&str, Value)] = &[
    // en
    ("pass phrase", Password), ("pass word", Password), ("pass code", Code), ("pin code", Code), ("pin-code", Code), ("pin number", Code),
    ("one-time code", Code), ("one time code", Code), ("verification code", Code), ("2fa code", Code), ("access code", Code), ("login code", Code),
    ("alarm code", Code), ("door code", Code), ("gate code", Code), ("recovery code", Code), ("recovery codes", Code), ("backup code", Code),
    ("backup codes", Code), ("unlock code", Code), ("security code", Check), ("card code", Check), ("recovery phrase", Phrase),
    ("seed phrase", Phrase), ("secret phrase", Phrase), ("mnemonic", Phrase), ("seed words", Phrase), ("social security number", Person),
    ("social security no", Person), ("api key", Key), ("api-key", Key), ("access key", Key), ("access key id", Key), ("secret key", Key),
    ("secret access key", Key), ("client secret", Key), ("private key", Key), ("account key", Key), ("signing key", Key), ("encryption key", Key),
    ("webhook secret", Key), ("aws secret", Key), ("auth token", Token), ("access token", Token), ("refresh token", Token), ("bot token", Token),
    ("proxy-authorization", Header), ("set-cookie", Cookie),
    // de
    ("api-schlüssel", Key), ("geheimer schlüssel", Key), ("geheimen schlüssel", Key), ("zugriffsschlüssel", Key), ("pin-nummer", Code),
    ("bestätigungscode", Code), ("prüfziffer", Check), ("kartenprüfnummer", Check),
    // fr
    ("mot de passe", Password), ("mots de passe", Password), ("code secret", Code), ("code pin", Code), ("code confidentiel", Code),
    ("code d'accès", Code), ("code de vérification", Code), ("code de sécurité", Code), ("clé api", Key), ("clé d'api", Key), ("clé secrète", Key),
    ("clé d'accès", Key), ("clé privée", Key), ("jeton d'accès", Token),
    // es
    ("contraseña", Password), ("clave de acceso", Password), ("clave secreta", Password), ("clave", Weak), ("código pin", Code),
    ("código de acceso", Code), ("código de verificación", Code), ("código de seguridad", Code), ("código secreto", Code), ("clave api", Key),
    ("clave de api", Key), ("clave privada", Key),
    // pt
    ("palavra-passe", Password), ("palavra passe", Password), ("código de acesso", Code), ("código de verificação", Code),
    ("código de segurança", Code), ("chave de api", Key), ("chave da api", Key), ("chave secreta", Key), ("chave de acesso", Key),
    ("chave privada", Key), ("token de acesso", Token),
    // it
    ("parola d'ordine", Password), ("codice pin", Code), ("codice di accesso", Code), ("codice di verifica", Code), ("codice di sicurezza", Code),
    ("codice segreto", Code), ("chiave api", Key), ("chiave segreta", Key), ("chiave di accesso", Key), ("chiave privata", Key),
    // nl
    ("api-sleutel", Key), ("geheime sleutel", Key), ("toegangssleutel", Key),
    // ru
    ("пароль", Password), ("пароли", Password), ("паролем", Password), ("кодовое слово", Password), ("пин-код", Code), ("пинкод", Code),
    ("пин код", Code), ("пин", Code), ("код доступа", Code), ("код подтверждения", Code), ("код из смс", Code), ("ключ api", Key),
    ("api-ключ", Key), ("api ключ", Key), ("секретный ключ", Key), ("ключ доступа", Key), ("токен", Token),
    // ar
    ("كلمة المرور", Password), ("كلمة مرور", Password), ("كلمة مروري", Password), ("كلمة السر", Password), ("كلمة سر", Password),
    ("الرقم السري", Code), ("رقمي السري", Code), ("الرمز السري", Code), ("رمز التحقق", Code), ("رمز الدخول", Code), ("رمز المرور", Code),
    ("مفتاح api", Key), ("المفتاح السري", Key), ("مفتاح الوصول", Key),
    // hi
    ("पासवर्ड", Password), ("कूटशब्द", Password), ("पिन", Code), ("पिन कोड", Code), ("ओटीपी", Code), ("सत्यापन कोड", Code), ("गुप्त कोड", Code),
    ("एपीआई कुंजी", Key), ("api कुंजी", Key), ("गुप्त कुंजी", Key),
    // zh
    ("密码", Password), ("密碼", Password), ("口令", Password), ("pin码", Code), ("pin碼", Code), ("验证码", Code), ("驗證碼", Code),
    ("安全码", Check), ("安全碼", Check), ("api 密钥", Key), ("密钥", Key), ("密鑰", Key), ("金鑰", Key), ("令牌", Token),
    // ja
    ("パスワード", Password), ("パスコード", Code), ("暗証番号", Code), ("pinコード", Code), ("認証コード", Code), ("確認コード", Code),
    ("セキュリティコード", Check), ("apiキー", Key), ("アクセスキー", Key), ("秘密鍵", Key), ("シークレットキー", Key), ("トークン", Token),
    // sv, pl, da, no, fi, cs, tr, ko
    ("lösenord", Password), ("hasło", Password), ("adgangskode", Password), ("passord", Password), ("salasana", Password), ("heslo", Password),
    ("şifre", Password), ("parolası", Password), ("비밀번호", Password),
];

/// What environments add to a name: `DB_PASSWORD_PROD`.
pub const SUFFIXES: &[&str] =
    &["prod", "production", "dev", "staging", "stage", "test", "live", "old", "new", "main", "backup", "base", "b64"];

/// Between a name and a value, in prose. Of two that begin alike, the longer one comes first.
#[rustfmt::skip]
pub const SAYS: &[&str] = &[
    // en
    "is now", "is still", "is set to", "was set to", "was changed to", "is called", "changed to", "set to", "reset to", "should be", "is", "was",
    "to",
    // de, nl
    "ist jetzt", "ist nun", "ist", "lautet jetzt", "lautet nun", "lautet", "luidt nu", "luidt", "heißt", "war", "is nu",
    // fr, es, pt, it
    "est maintenant", "est désormais", "est", "était", "es ahora", "ahora es", "es", "era", "é agora", "agora é", "é", "è ora", "ora è", "è",
    "fue", "foi", "sera", "será", "sarà",
    // ru, ar, hi
    "теперь", "это", "стал", "был", "будет", "هي الآن", "هي", "هو الآن", "هو", "है", "अब",
];
/// The same where nothing separates words.
pub const SAYS_UNSPACED: &[&str] =
    &["就是", "是", "设为", "設為", "设置为", "改成", "改为", "改為", "为", "為", "は", "が", "を", "는", "은", "이", "가"];
/// What ends a clause directly behind a value where nothing separates words.
pub const ENDS_UNSPACED: &[&str] = &["です", "でし", "だ", "となり", "에요", "입니다"];

/// How words between a name and a colon or an "is" begin: "the password of the wifi upstairs is".
#[rustfmt::skip]
pub const BETWEEN: &[&str] = &[
    "for ", "of ", "on ", "to ", "at ", "in ", "(", "wifi", "wi-fi", "wlan", "vpn", "für ", "fürs ", "vom ", "von ", "zum ", "des ", "der ", "pour ", "du ",
    "de ", "del ", "para ", "do ", "da ", "per ", "della ", "dell'", "di ", "voor ", "van ", "от ", "для ", "الخاصة ", "الخاص ", "ل",
];
/// What ends such words, in prose.
pub const SAYS_LATER: &[&str] =
    &[" is ", " ist ", " lautet ", " luidt ", " est ", " es ", " è ", " é ", " это ", " теперь ", " هي ", " هو ", " है ", " = ", " - "];

/// What stands where a secret would and is none.
#[rustfmt::skip]
pub const PLACEHOLDERS: &[&str] = &[
    "about", "absent", "again", "always", "and", "any", "anything", "asked", "ask", "below", "blank", "bool", "boolean", "box", "changed", "change",
    "changeme", "char", "default", "disabled", "empty", "enabled", "env", "example", "expired", "expires", "false", "field", "flag", "forgotten",
    "given", "hash", "hashed", "here", "hidden", "incorrect", "int", "invalid", "known", "later", "length", "lost", "manager", "mandatory",
    "masked", "missing", "must", "n/a", "never", "nil", "no", "none", "not", "null", "number", "omitted", "optional", "option", "password",
    "pending", "placeholder", "policy", "private", "protected", "redacted", "removed", "required", "reset", "rotated", "same", "secret",
    "secure", "see", "set", "shared", "stored", "str", "string", "tbd", "text", "that", "the", "this", "todo", "token", "true", "undefined",
    "unchanged", "unknown", "unset", "valid", "value", "varchar", "vault", "wrong", "yes", "your", "yours",
    // de
    "abgelaufen", "erforderlich", "falsch", "fehlt", "geheim", "gesperrt", "kein", "keine", "keines", "leer", "notwendig", "pflichtfeld", "siehe",
    "unbekannt", "vergessen", "verloren",
    // fr
    "aucun", "incorrect", "inconnu", "manquant", "obligatoire", "oublié", "perdu", "requis", "vide", "voir",
    // es
    "caducada", "desconocida", "incorrecta", "necesaria", "ninguna", "obligatoria", "obligatorio", "olvidada", "perdida", "requerida", "vacía",
    // pt
    "esquecida", "expirada", "incorreta", "inválida", "nenhuma", "obrigatória", "obrigatório", "perdida", "vazia",
    // it
    "dimenticata", "errata", "mancante", "nessuna", "obbligatoria", "obbligatorio", "richiesta", "scaduta", "sconosciuta", "vedi", "vuota",
    // nl
    "fout", "geen", "leeg", "onbekend", "onjuist", "vereist", "vergeten", "verlopen", "verplicht",
    // ru, zh, ja
    "обязателен", "забыт", "必須", "必填",
];

/// Words before a number that is a card's.
#[rustfmt::skip]
pub const CARDS: &[&str] = &[
    "card", "visa", "maestro", "karte", "carte", "tarjeta", "cartão", "cartao", "carta", "kaart", "карт", "بطاقة", "कार्ड", "卡", "カード",
];

/// Words before a number with a check digit that is no card.
#[rustfmt::skip]
pub const NOT_CARDS: &[&str] = &[
    // en
    "order", "invoice", "tracking", "parcel", "shipment", "consignment", "waybill", "ticket", "imei", "isbn", "ean", "gtin", "barcode", "iccid",
    "serial", "customer", "reference", "transaction", "phone", "fax", "tel", "booking", "contract",
    // de
    "bestellung", "bestellnummer", "bestell", "auftrag", "auftragsnummer", "rechnung", "rechnungsnummer", "sendung", "sendungsnummer", "paket",
    "paketnummer", "seriennummer", "kundennummer", "vertragsnummer", "telefon", "telefonnummer",
    // fr
    "commande", "facture", "colis", "suivi", "livraison", "série", "client", "téléphone",
    // es, pt, it
    "pedido", "factura", "paquete", "envío", "seguimiento", "serie", "cliente", "teléfono", "encomenda", "fatura", "rastreio", "rastreamento",
    "série", "telefone", "ordine", "fattura", "pacco", "spedizione", "tracciamento", "telefono",
    // nl
    "bestelling", "bestelnummer", "factuur", "factuurnummer", "pakket", "zending", "serienummer", "klantnummer", "telefoonnummer",
    // ru, ar
    "заказ", "заказа", "счет", "счета", "счёта", "посылки", "накладной", "накладная", "отслеживания", "телефон", "телефона", "الطلب", "طلب",
    "الفاتورة", "الشحنة", "التتبع", "الهاتف",
    // hi
    "ऑर्डर", "चालान", "पार्सल", "ट्रैकिंग", "फ़ोन", "फोन",
];
/// The same where nothing separates words.
#[rustfmt::skip]
pub const NOT_CARDS_UNSPACED: &[&str] = &[
    "订单", "訂單", "单号", "單號", "发票", "發票", "快递", "电话", "電話", "注文", "追跡", "伝票", "請求", "荷物",
];
/// Words between such a word and its number.
#[rustfmt::skip]
pub const NUMBERED: &[&str] = &[
    "no", "nr", "id", "number", "code", "ref", "is", "nummer", "ist", "lautet", "numéro", "n°", "nº", "est", "número", "numero", "es", "é", "è",
    "номер", "№", "رقم", "هو", "नंबर", "संख्या", "है", "de", "di", "del", "do", "of", "the",
];
