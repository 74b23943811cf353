//! Every kind of secret in several everyday forms, and what only looks like one.

use super::*;
use proptest::prelude::*;

/// Random letters and digits, made here so that no scanner takes the tests for a leak.
fn random(length: usize) -> String {
    "aB3dE5fG7hJ9kL2mN4pQ6rS8tU".chars().cycle().take(length).collect()
}

/// Replaces each `{20}` by as many letters and digits, and `~` by nothing: it divides what a scanner would recognise.
fn filled(form: &str) -> String {
    let mut parts = form.split(['{', '}']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.parse() {
            Ok(length) => text.push_str(&random(length)),
            Err(_) => text.push_str(part),
        }
    }
    text.replace('~', "")
}

/// What is left of a form, with `{…}` where the random part was.
#[track_caller]
fn becomes(form: &str, expected: &str) {
    let once = redact(&filled(form));
    assert_eq!(once.text, expected, "{form}");
    assert_eq!(redact(&once.text).removed, [], "{form}");
}

const KEY: &str = "[secret removed: API key]";
const TOKEN: &str = "[secret removed: token]";
const PASSWORD: &str = "[secret removed: password]";
const CARD: &str = "[secret removed: card number]";
const PRIVATE: &str = "[secret removed: private key]";

#[test]
fn keys_of_vendors_become_markers() {
    for form in [
        "AK~IA{16}",
        "AI~za{35}",
        "gh~p_{36}",
        "github~_pat_{22}_{59}",
        "gl~pat-{20}",
        "s~k-{48}",
        "s~k-proj-{60}",
        "s~k-ant-api03-{90}",
        "sk_~live_{24}",
        "rk_~test_{24}",
        "S~G.{22}.{43}",
        "dckr~_pat_{27}",
        "wh~sec_{32}",
        "S~K{32}",
        "h~f_{34}",
        "PM~AK-{24}-{34}",
    ] {
        becomes(&format!("use {form}, please"), &format!("use {KEY}, please"));
        becomes(&format!("({form})"), &format!("({KEY})"));
    }
    for form in
        ["xo~xb-1234-1234-{24}", "np~m_{36}", "py~pi-{80}", "ey~JhbGciOiJIUzI1NiJ9.ey~J{30}.{43}", "12345678~90:{35}", "M~T{22}.{6}.{38}"]
    {
        becomes(form, TOKEN);
    }
    becomes("keygh~p_{36}", &format!("key{KEY}"));
    becomes("s~k-\u{200b}{24}\u{2060}{24}!", &format!("{KEY}!"));
}

#[test]
fn private_keys_become_markers_even_if_they_are_cut() {
    for form in [
        "-----BEGIN~ RSA PRIVATE KEY-----\n{64}\n{64}==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN~ PRIVATE KEY-----\\n{64}\\n-----END PRIVATE KEY-----",
        "-----BEGIN~ PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG (x)\n\n{64}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN~ OPENSSH PRIVATE KEY-----\n{64}\n{30}",
        "MII~EpAIBAAKC{64}",
        "AGE-SECRET~-KEY-1{58}",
    ] {
        becomes(form, PRIVATE);
    }
    becomes("-----BEGIN~ RSA PRIVATE KEY-----\n{64}\n-----END RSA PRIVATE KEY-----\nok", &format!("{PRIVATE}\nok"));
}

#[test]
fn passwords_become_markers_in_every_notation() {
    for (form, kept) in [
        ("pw: {12}", "pw: "),
        ("PASS={12}", "PASS="),
        ("passphrase: {12}", "passphrase: "),
        ("export DB_PASSWORD_PROD={12}", "export DB_PASSWORD_PROD="),
        ("spring.datasource.password={12}", "spring.datasource.password="),
        ("  password: swordfish", "  password: "),
        ("tool --password {12}", "tool --password "),
        ("mysql -u root -p{14}", "mysql -u root -p"),
        ("sshpass -p {12}", "sshpass -p "),
        ("curl -u vera:{12}", "curl -u vera:"),
        ("docker login -u vera -p {12}", "docker login -u vera -p "),
        ("redis-cli -a {12}", "redis-cli -a "),
        ("The wifi password is now {10}", "The wifi password is now "),
        ("password for the wifi: {10}", "password for the wifi: "),
        ("Mein Passwort ist {10}", "Mein Passwort ist "),
        ("mon mot de passe est {10}", "mon mot de passe est "),
        ("密码是{10}", "密码是"),
        ("Пароль: {10}", "Пароль: "),
        ("パスワードは{10}", "パスワードは"),
        ("كلمة المرور هي {10}", "كلمة المرور هي "),
        ("passwort:\n{10}", "passwort:\n"),
        ("ssh vera / hunter2!x", "ssh vera / "),
        ("the PIN is 4711", "the PIN is "),
        ("recovery code: 8f3k-29dk-1kd9", "recovery code: "),
        ("passphrase: correct horse battery staple", "passphrase: "),
        ("my pass\u{200b}word: {12}", "my pass\u{200b}word: "),
        ("machine h login vera password swordfish", "machine h login vera password "),
        ("| password | {12}", "| password | "),
    ] {
        becomes(form, &format!("{kept}{PASSWORD}"));
    }
    for (form, before, after) in [
        ("{\"user\": \"vera\", \"password\": \"swordfish\"} ", "{\"user\": \"vera\", \"password\": \"", "\"} "),
        ("{\\\"pwd\\\": \\\"{12}\\\"}", "{\\\"pwd\\\": \\\"", "\\\"}"),
        ("<password>{12}</password>", "<password>", "</password>"),
        ("the password is “swordfish”.", "the password is “", "”."),
        ("DB_PASSWORD=\"open sesame\" run", "DB_PASSWORD=\"", "\" run"),
        ("login vera, password: swordfish, thanks", "login vera, password: ", ", thanks"),
        ("Server=db;Password={12};Encrypt=true", "Server=db;Password=", ";Encrypt=true"),
        ("postgres://vera:{12}@db/main", "postgres://vera:", "@db/main"),
        ("redis://:{14}@cache:6379", "redis://:", "@cache:6379"),
        ("vera:{14}@tcp(db:3306)/main", "vera:", "@tcp(db:3306)/main"),
        ("https://a/?password={12}&x=1", "https://a/?password=", "&x=1"),
    ] {
        let text = form.replace("{12}", &random(12)).replace("{14}", &random(14));
        assert_eq!(redact(&text).text, format!("{before}{PASSWORD}{after}"));
    }
}

#[test]
fn headers_cookies_and_addresses_become_markers() {
    for (form, kept) in [
        ("Authorization: Bearer {40}", "Authorization: Bearer "),
        ("Authorization: Basic {27}", "Authorization: Basic "),
        ("jwt={40}", "jwt="),
        ("Cookie: sid={24}; theme=dark", "Cookie: sid="),
        ("https://hooks.slack.com/services/T1/B1/{24}", "https://hooks.slack.com/services/"),
        ("https://discord.com/api/webhooks/1234/{68}", "https://discord.com/api/webhooks/"),
        ("?access_token={40}", "?access_token="),
        ("https://b/k?X-Amz-Signature={64}", "https://b/k?X-Amz-Signature="),
        ("https://b/c?sv=1&sig={43}%3D", "https://b/c?sv=1&sig="),
        ("npm:_authToken={36}", "npm:_authToken="),
    ] {
        becomes(form, &format!("{kept}{TOKEN}"));
    }
    becomes("Set-Cookie: sid={32}; Path=/", &format!("Set-Cookie: sid={TOKEN}; Path=/"));
    for (form, kept) in [
        ("X-Api-Key: {32}", "X-Api-Key: "),
        ("AccountKey={86}==", "AccountKey="),
        ("aws_secret_access_key = {40}", "aws_secret_access_key = "),
        ("the AWS secret is {40}", "the AWS secret is "),
        ("FOO_SECRET_KEY={40}", "FOO_SECRET_KEY="),
        ("my api key is {32}", "my api key is "),
    ] {
        becomes(form, &format!("{kept}{KEY}"));
    }
    assert_eq!(redact(&format!("Basic {}", "dmVyYTpodW50ZXIy")).text, format!("Basic {PASSWORD}"));
}

#[test]
fn cards_accounts_and_numbers_of_people_become_markers() {
    for (text, expected) in [
        ("card 4111 1111 1111 1111 12/27 123", "card # 12/27 123"),
        ("4111111111111111 123", "# 123"),
        ("4111 1111 1111 1111 5555 5555 5555 4444", "# #"),
        ("card4111111111111111", "card#"),
        ("4111\u{a0}1111\u{a0}1111\u{a0}1111.", "#."),
        ("378282246310005", "#"),
        ("3530111333300000", "#"),
        ("cvc: 123", "cvc: #"),
    ] {
        assert_eq!(redact(text).text, expected.replace('#', CARD));
    }
    for (text, expected) in [
        ("IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX", "IBAN # BIC COBADEFFXXX"),
        ("iban de89370400440532013000", "iban #"),
        ("IBANDE89370400440532013000", "IBAN#"),
        ("to CH93 0076 2011 6238 5295 7 today", "to # today"),
    ] {
        assert_eq!(redact(text).text, expected.replace('#', "[secret removed: IBAN]"));
    }
    assert_eq!(redact("my SSN is 078-05-1120").text, "my SSN is [secret removed: identity number]");
}

#[test]
fn passwords_are_found_in_twelve_languages() {
    for (form, before, after) in [
        ("the pw is {10}", "the pw is ", ""),
        ("My Netflix password is “swordfish”.", "My Netflix password is “", "”."),
        ("Das Passwort lautet {10}.", "Das Passwort lautet ", "."),
        ("Kennwort fürs WLAN: {10}", "Kennwort fürs WLAN: ", ""),
        ("Passwort vom Router ist {10}", "Passwort vom Router ist ", ""),
        ("Le mot de passe du wifi est {10}", "Le mot de passe du wifi est ", ""),
        ("MOT DE PASSE : {10}", "MOT DE PASSE : ", ""),
        ("La contraseña de Netflix es {10}", "La contraseña de Netflix es ", ""),
        ("contraseña wifi: {10}", "contraseña wifi: ", ""),
        ("la clave es {10}", "la clave es ", ""),
        ("A senha do wifi é {10}", "A senha do wifi é ", ""),
        ("Palavra-passe: {10}", "Palavra-passe: ", ""),
        ("La password del router è {10}", "La password del router è ", ""),
        ("la parola d'ordine è {10}", "la parola d'ordine è ", ""),
        ("Het wachtwoord luidt {10}", "Het wachtwoord luidt ", ""),
        ("wachtwoord voor de server is {10}", "wachtwoord voor de server is ", ""),
        ("Мой пароль — {10}", "Мой пароль — ", ""),
        ("ПАРОЛЬ ОТ ВАЙФАЯ: {10}", "ПАРОЛЬ ОТ ВАЙФАЯ: ", ""),
        ("كلمة المرور الخاصة بي هي {10}", "كلمة المرور الخاصة بي هي ", ""),
        ("كلمة السر: {10}", "كلمة السر: ", ""),
        ("मेरा पासवर्ड {10} है", "मेरा पासवर्ड ", " है"),
        ("पासवर्ड: {10}", "पासवर्ड: ", ""),
        ("我的密码是12345678。", "我的密码是", "。"),
        ("密碼改為{10}", "密碼改為", ""),
        ("密码{10}", "密码", ""),
        ("パスワードは12345678です", "パスワードは", "です"),
        ("パスワードを{10}に変更しました", "パスワードを", "に変更しました"),
    ] {
        becomes(form, &format!("{before}{PASSWORD}{after}"));
    }
}

#[test]
fn codes_are_found_in_twelve_languages() {
    for (form, before, after) in [
        ("My PIN is 4711.", "My PIN is ", "."),
        ("Die Geheimzahl ist 4711", "Die Geheimzahl ist ", ""),
        ("code PIN : 4711", "code PIN : ", ""),
        ("El código de acceso es 4711", "El código de acceso es ", ""),
        ("O código de verificação é 482913", "O código de verificação é ", ""),
        ("Il codice segreto è 4711", "Il codice segreto è ", ""),
        ("De toegangscode is 4711", "De toegangscode is ", ""),
        ("Пин-код 4711", "Пин-код ", ""),
        ("код подтверждения: 482913", "код подтверждения: ", ""),
        ("الرقم السري هو ٤٧١١", "الرقم السري هو ", ""),
        ("मेरा पिन 4711 है", "मेरा पिन ", " है"),
        ("पिन है ४७११", "पिन है ", ""),
        ("验证码是482913", "验证码是", ""),
        ("暗証番号は4711です", "暗証番号は", "です"),
    ] {
        becomes(form, &format!("{before}{PASSWORD}{after}"));
    }
    for (form, kept) in [
        ("SECRET_KEY_BASE={64}", "SECRET_KEY_BASE="),
        ("Der API-Schlüssel ist {32}", "Der API-Schlüssel ist "),
        ("clé secrète : {32}", "clé secrète : "),
        ("clave privada: {32}", "clave privada: "),
        ("chave de acesso: {32}", "chave de acesso: "),
        ("chiave api: {32}", "chiave api: "),
        ("geheime sleutel: {32}", "geheime sleutel: "),
        ("секретный ключ: {32}", "секретный ключ: "),
        ("مفتاح الوصول: {32}", "مفتاح الوصول: "),
        ("गुप्त कुंजी: {32}", "गुप्त कुंजी: "),
        ("密钥是{32}", "密钥是"),
        ("APIキーは{32}", "APIキーは"),
    ] {
        becomes(form, &format!("{kept}{KEY}"));
    }
}

#[test]
fn a_number_of_another_kind_is_no_card() {
    // Each passes the check digit of cards.
    for text in [
        "order no. 4111111111111111",
        "{\"order_id\": 4111111111111111}",
        "Bestellnummer 4111111111111111",
        "numéro de commande : 4111111111111111",
        "el número de pedido es 4111111111111111",
        "número da encomenda 4111111111111111",
        "numero di spedizione: 4111111111111111",
        "factuurnummer 4111111111111111",
        "номер заказа 4111111111111111",
        "رقم الطلب 4111111111111111",
        "ऑर्डर नंबर 4111111111111111",
        "订单号4111111111111111",
        "注文番号は4111111111111111",
        "EAN 4222222222222",
        "barcode 4 222222 222222",
        "4222222222222",
        "the user <@481234567890123456> wrote",
        "call +4111111111111111",
        "call 41 11 11 11 11 11 11 11",
    ] {
        assert_eq!(redact(text).text, text);
    }
    for (text, expected) in [
        ("Meine Karte: 4111111111111111", "Meine Karte: #"),
        ("ma carte est 4111 1111 1111 1111", "ma carte est #"),
        ("tarjeta 5555555555554444", "tarjeta #"),
        ("номер карты 4111111111111111", "номер карты #"),
        ("رقم البطاقة 4111111111111111", "رقم البطاقة #"),
        ("कार्ड नंबर 4111111111111111", "कार्ड नंबर #"),
        ("卡号4111111111111111", "卡号#"),
        ("カード番号は4111111111111111です", "カード番号は#です"),
        ("my old Visa 4222222222222", "my old Visa #"),
        ("I paid for the order with 4111 1111 1111 1111", "I paid for the order with #"),
    ] {
        assert_eq!(redact(text).text, expected.replace('#', CARD));
    }
}

#[test]
fn sentences_about_passwords_stay_in_twelve_languages() {
    for text in [
        "Your PIN is required at the desk.",
        "Passwort: erforderlich",
        "Das Passwort ist dem Team bekannt.",
        "Das Kennwort wurde 2024 geändert.",
        "Le mot de passe est obligatoire.",
        "Mot de passe : oublié",
        "La contraseña es demasiado corta.",
        "Contraseña: obligatoria",
        "La clave es la paciencia.",
        "Clave: paciencia.",
        "A senha é pessoal e intransferível.",
        "Senha: incorreta",
        "La parola: amore.",
        "La password è scaduta ieri.",
        "Het wachtwoord is verlopen.",
        "Wachtwoord: verplicht",
        "Пароль должен содержать 12 символов.",
        "В зоопарке живёт пингвин: 2024 год рождения.",
        "Пароли не хранятся.",
        "كلمة المرور مطلوبة.",
        "كلمة المرور قصيرة جدا",
        "पासवर्ड सही नहीं है।",
        "पासवर्ड 8 अक्षर का है।",
        "密码是2024年设置的",
        "密码至少8位",
        "パスワードは8文字以上です",
        "パスワードは2023年に変更しました",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "The password is required.",
        "Password: the one from last year, ask Mina.",
        "Forgot your password? Reset it.",
        "password: see the vault",
        "Password policy: 12 characters",
        "PASSWORD_FILE=/run/secrets/db",
        "DB_PASSWORD=${DB_PASSWORD}",
        "password = getpass()",
        "password: ********",
        "api_key: YOUR_API_KEY",
        "token: 5, secret: none",
        "max_tokens: 4096",
        "Call +41 79 123 45 67 or 1234 5678 9012 3456.",
        "ISBN 978-3-16-148410-0",
        "Order 4111111111111112 was shipped.",
        "order no. 4111111111111111",
        "version 1.2.3-beta.4+build5",
        "sk-8 boards and AKIA",
        "task-management-2024-roadmap-final-version",
        "risk-assessment-for-2025-and-beyond-final",
        "at 10:30 it's https://example.org:8080/a@b",
        "mailto:vera@example.org, git@github.com:vera/x.git",
        "docker run -p 8080:80 nginx",
        "mysql -u root -p",
        "mkdir -p /var/lib/data2",
        "The secret is to rest the dough.",
        "My secret: I never measure flour",
        "GB is a country",
        "bypass=true2, compass: north7",
        "Cookie: chocolate chip",
        "Basic training2024",
        "Das Passwort ist abgelaufen.",
        "密码不能为空",
        "Пароль хранится в сейфе",
        "pin 12 of the plug",
        "IMEI 490154203237518",
        "key: 123e4567-e89b-12d3-a456-426614174000",
        "Ask Mina for the password of the wifi.",
    ] {
        let redacted = redact(text);
        assert_eq!((redacted.text.as_str(), redacted.removed.len()), (text, 0));
    }
}

#[test]
fn secrets_are_found_in_linear_time() {
    for piece in
        ["token: x ", "password is x", "-----BEGIN~ PRIVATE KEY-----(", "://a:", "AK~IA", "ey~J", "Authorization: ", "Cookie: a", "x"]
    {
        steps::assert_linear(&piece.replace('~', ""), |text| drop(redact(text)));
    }
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing(
        text in "(password|pin|key|token|cookie|seed phrase|[:=] ?| is |sk-|ghp_|://|@|@tcp\\(|4111|-p|--|[a-zA-Z0-9:\\-_.& \"\n\u{200b}]|\\PC){0,80}"
    ) {
        let once = redact(&text);
        prop_assert_eq!(&redact(&once.text).text, &once.text);
    }
}
