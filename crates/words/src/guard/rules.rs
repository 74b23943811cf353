//! What secrets look like, as data: how keys of vendors begin, commands and addresses that hold one.

use super::kind::SecretKind::{self, ApiKey, Password, PrivateKey, Token};

/// The characters of a key after its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Letters and digits.
    Plain,
    /// These, `-`, `_` and `=`.
    Url,
    /// These and `.`.
    Dotted,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
}

use Body::{Base64, Dotted, Plain, Url};

/// How a key begins, the fewest characters that follow, which, and what it is.
pub type Vendor = (&'static str, usize, Body, SecretKind);

/// Keys whose beginning is so rare that a letter may stand before it.
#[rustfmt::skip]
pub const VENDORS: &[Vendor] = &[
    // Clouds
    ("AKIA", 16, Plain, ApiKey), ("ASIA", 16, Plain, ApiKey), ("ABIA", 16, Plain, ApiKey), ("ACCA", 16, Plain, ApiKey),
    ("ABSK", 60, Base64, ApiKey), ("amzn.mws.", 30, Url, ApiKey), ("AIza", 30, Url, ApiKey), ("ya29.", 20, Dotted, Token),
    ("GOCSPX-", 20, Url, ApiKey), ("1//0", 30, Url, Token), ("LTAI", 16, Plain, ApiKey), ("AKID", 28, Plain, ApiKey),
    ("dop_v1_", 30, Plain, ApiKey), ("doo_v1_", 30, Plain, ApiKey), ("dor_v1_", 30, Plain, ApiKey), ("AQVN", 32, Url, ApiKey),
    ("HRKU-", 30, Url, ApiKey), ("FlyV1 ", 40, Dotted, Token), ("fo1_", 36, Url, ApiKey), ("dapi", 30, Plain, ApiKey),
    // Code and packages
    ("ghp_", 30, Plain, ApiKey), ("gho_", 30, Plain, Token), ("ghu_", 30, Plain, Token), ("ghs_", 30, Plain, Token),
    ("ghr_", 30, Plain, Token), ("github_pat_", 30, Url, ApiKey), ("glpat-", 16, Dotted, ApiKey), ("gldt-", 16, Url, Token),
    ("glrt-", 16, Dotted, Token), ("glsoat-", 16, Url, Token), ("glcbt-", 16, Url, Token), ("glptt-", 30, Url, Token),
    ("glft-", 16, Url, Token), ("glimt-", 16, Url, Token), ("glagent-", 30, Url, Token), ("npm_", 30, Plain, Token),
    ("pypi-", 30, Url, Token), ("rubygems_", 40, Plain, ApiKey), ("dckr_pat_", 20, Url, ApiKey), ("dckr_oat_", 20, Url, ApiKey),
    ("ATATT3", 40, Url, ApiKey), ("ATCTT3", 40, Url, ApiKey), ("ATBB", 24, Url, ApiKey), ("AKCp", 60, Plain, ApiKey),
    ("CCIPAT_", 30, Url, ApiKey), ("bkua_", 30, Plain, ApiKey), ("sqp_", 40, Plain, Token), ("squ_", 40, Plain, Token),
    ("sqa_", 40, Plain, Token), ("pul-", 40, Plain, ApiKey), ("PMAK-", 40, Url, ApiKey), ("lin_api_", 30, Plain, ApiKey),
    ("lin_oauth_", 30, Plain, Token), ("ntn_", 40, Plain, ApiKey), ("figd_", 30, Url, ApiKey), ("nfp_", 30, Plain, ApiKey),
    ("sbp_", 30, Plain, ApiKey), ("sb_secret_", 20, Url, ApiKey), ("pscale_tkn_", 30, Dotted, Token), ("pscale_pw_", 30, Dotted, Password),
    ("pscale_oauth_", 30, Dotted, Token), ("dp.pt.", 30, Plain, Token), ("dp.st.", 30, Dotted, Token), ("hvs.", 20, Url, Token),
    ("hvb.", 20, Url, Token), ("tskey-", 20, Url, ApiKey), ("glsa_", 30, Url, Token), ("glc_", 30, Base64, Token),
    ("sntrys_", 30, Base64, Token), ("sntryu_", 30, Plain, Token), ("NRAK-", 24, Plain, ApiKey), ("NRII-", 24, Url, ApiKey),
    ("vercel_", 24, Plain, Token), ("vcp_", 24, Plain, Token), ("CFPAT-", 30, Url, ApiKey), ("rdme_", 40, Plain, ApiKey),
    // Messages
    ("xoxb-", 16, Url, Token), ("xoxp-", 16, Url, Token), ("xoxa-", 16, Url, Token), ("xoxo-", 16, Url, Token), ("xoxs-", 16, Url, Token),
    ("xoxr-", 16, Url, Token), ("xoxe-", 16, Url, Token), ("xoxe.", 16, Url, Token), ("xapp-", 16, Url, Token), ("xwfp-", 16, Url, Token),
    ("SG.", 40, Dotted, ApiKey), ("xkeysib-", 40, Url, ApiKey), ("key-", 32, Plain, ApiKey), ("EAAC", 60, Plain, Token),
    // Money
    ("sk_live_", 16, Url, ApiKey), ("sk_test_", 16, Url, ApiKey), ("rk_live_", 16, Url, ApiKey), ("rk_test_", 16, Url, ApiKey),
    ("whsec_", 20, Base64, ApiKey), ("sq0atp-", 20, Url, Token), ("sq0csp-", 30, Url, ApiKey), ("EAAA", 56, Url, Token),
    ("shpat_", 30, Plain, Token), ("shpca_", 30, Plain, Token), ("shppa_", 30, Plain, Token), ("shpss_", 30, Plain, ApiKey),
    ("EZAK", 50, Plain, ApiKey), ("EZTK", 50, Plain, ApiKey), ("duffel_live_", 40, Url, ApiKey), ("access-production-", 30, Url, Token),
    ("access-sandbox-", 30, Url, Token), ("access_token$production$", 30, Plain, Token),
    // Models
    ("sk-ant-", 20, Url, ApiKey), ("sk-proj-", 20, Url, ApiKey), ("sk-svcacct-", 20, Url, ApiKey), ("sk-or-", 20, Url, ApiKey),
    ("hf_", 30, Plain, ApiKey), ("gsk_", 30, Plain, ApiKey), ("xai-", 40, Plain, ApiKey), ("r8_", 30, Plain, ApiKey),
    ("pplx-", 30, Plain, ApiKey), ("nvapi-", 40, Url, ApiKey), ("rmb_", 20, Url, ApiKey),
    // Private keys: their own form, and how the letters of common ones begin when the first line is lost.
    ("AGE-SECRET-KEY-", 30, Plain, PrivateKey), ("MIIEvQIBADAN", 40, Base64, PrivateKey), ("MIIEvgIBADAN", 40, Base64, PrivateKey),
    ("MIIEvAIBADAN", 40, Base64, PrivateKey), ("MIIEpAIBAAKC", 40, Base64, PrivateKey), ("MIIEowIBAAKC", 40, Base64, PrivateKey),
    ("MIIJQgIBADAN", 40, Base64, PrivateKey), ("MIIJKQIBAAKC", 40, Base64, PrivateKey), ("MHcCAQEEI", 40, Base64, PrivateKey),
    ("b3BlbnNzaC1rZXktdjEA", 40, Base64, PrivateKey),
];

/// Keys whose beginning is part of other words, too: nothing that belongs to a word stands before it.
#[rustfmt::skip]
pub const WORDS: &[Vendor] = &[
    ("sk-", 20, Url, ApiKey), ("SK", 32, Plain, ApiKey), ("AC", 32, Plain, ApiKey), ("re_", 24, Url, ApiKey), ("pat", 40, Dotted, ApiKey),
    ("secret_", 30, Plain, ApiKey), ("sl.", 60, Url, Token), ("s.", 24, Plain, Token), ("t1.", 60, Dotted, Token), ("y0_", 40, Url, Token),
];

/// How references to a secret begin.
#[rustfmt::skip]
pub const REFERENCES: &[&str] = &[
    "${", "$(", "{{", "<%", "%(", "os.", "process.", "env.", "env(", "ENV[", "getenv", "secrets.", "vault:", "op://", "ref+", "file:", "/run/",
    "/etc/", "./", "~/", "http://", "https://", "config.", "settings.", "self.", "this.", "request.", "req.", "args.", "var.", "local.", "data.",
];

/// Commands, their flag before a password, and whether the password may stand directly behind it.
#[rustfmt::skip]
pub const COMMANDS: &[(&str, &str, bool)] = &[
    ("mysql", "-p", true), ("mysqldump", "-p", true), ("mysqladmin", "-p", true), ("mariadb", "-p", true), ("sshpass", "-p", true),
    ("login", "-p", false), ("mongo", "-p", false), ("mongosh", "-p", false), ("mongodump", "-p", false), ("redis-cli", "-a", false),
    ("ldapsearch", "-w", false), ("7z", "-p", true), ("unzip", "-P", false), ("zip", "-P", false), ("curl", "-u", false),
    ("curl", "--user", false), ("http", "-a", false), ("wget", "--password", false), ("smbclient", "-U", false), ("rabbitmqctl", "add_user", false),
    ("sqlcmd", "-P", false), ("bcp", "-P", false), ("kinit", "-w", false), ("openssl", "-passin", false), ("openssl", "-passout", false),
];

/// Addresses whose path is a secret after these parts.
#[rustfmt::skip]
pub const HOOKS: &[&str] = &[
    "hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/", "api.telegram.org/bot", "hooks.zapier.com/hooks/catch/", "outlook.office.com/webhook/",
    "webhook.office.com/webhookb2/", "maker.ifttt.com/trigger/", "hook.eu1.make.com/", "hook.us1.make.com/", "open.feishu.cn/open-apis/bot/v2/hook/",
    "mattermost.com/hooks/", "hooks.chime.aws/incomingwebhooks/",
];

/// Words before a name of a user and a password.
pub const LOGINS: &[&str] =
    &["login", "ssh", "sftp", "ftp", "rdp", "vnc", "credentials", "creds", "account", "zugangsdaten", "identifiants"];

/// Countries of IBANs, each with its length.
#[rustfmt::skip]
pub const IBANS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 \
    FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 \
    ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 \
    TL23 TN24 TR26 UA29 VA22 VG24 XK20";
