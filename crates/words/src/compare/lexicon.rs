//! Words that decide what a statement says, in the twelve languages: English, German, French, Spanish, Portuguese, Italian, Dutch, Russian,
//! Arabic, Hindi, Chinese and Japanese. Folded to lower case.

/// Words of English that never change what a statement says: auxiliaries. What they say of time and duty is compared on its own.
#[rustfmt::skip]
pub const LIGHT: &[&str] = &[
    "am", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "having", "own", "owns", "do", "does", "did", "doing",
    "get", "gets", "got", "will", "would", "shall", "must", "should", "ought", "there", "also", "really", "please", "note",
];
pub const ARTICLES: &[&str] = &["a", "an", "the"];
/// Words that link the parts of an English sentence. They may come and go when it is reworded, but not stand for one another.
#[rustfmt::skip]
pub const LINKS: &[&str] = &[
    "about", "and", "as", "at", "by", "for", "her", "hers", "him", "his", "i", "in", "it", "its", "me", "my", "of", "on", "our", "ours", "s",
    "she", "he", "so", "that", "their", "theirs", "them", "then", "they", "this", "those", "these", "to", "us", "we", "which", "who", "whom",
    "whose", "with", "you", "your", "yours", "where", "what",
];
/// Those of the links that tell how two things relate.
pub const PREPOSITIONS: &[&str] = &["about", "as", "at", "by", "for", "in", "of", "on", "to", "with"];
/// Words that open a phrase of place or time and are no links: what follows is before or after something, above or below it.
#[rustfmt::skip]
pub const OPENERS: &[&str] = &[
    "above", "across", "after", "before", "behind", "below", "beside", "between", "during", "from", "inside", "near", "outside", "over", "since",
    "through", "till", "under", "until", "within",
];
/// Links that open a sentence about what was named before.
pub const RELATIVES: &[&str] = &["that", "what", "where", "which", "who", "whom"];
/// Persons, each with the words for it.
#[rustfmt::skip]
pub const PERSONS: &[&[&str]] = &[
    &["i", "me", "my", "mine"], &["we", "us", "our", "ours"], &["you", "your", "yours"], &["he", "him", "his"], &["she", "her", "hers"],
    &["they", "them", "their", "theirs"],
];
/// Words that show that a statement is English, if no word of [`NOT_ENGLISH`] is there.
#[rustfmt::skip]
pub const ENGLISH: &[&str] = &[
    "the", "are", "have", "and", "with", "every", "from", "by", "his", "they", "that", "this", "not", "cannot", "does", "gets", "she", "our",
    "my", "your", "their", "lives", "likes", "loves", "enjoys", "prefers", "works", "uses", "drives", "drinks", "eats", "speaks", "owns", "runs",
    "plays", "wants", "needs", "bought", "always", "should", "must", "which", "please", "is", "was", "were", "s",
];
/// Words of English that other languages have, too: two of them show it.
#[rustfmt::skip]
pub const PERHAPS_ENGLISH: &[&str] = &[
    "has", "had", "of", "to", "will", "for", "her", "we", "it", "he", "at", "can", "a", "an", "on", "in", "two", "three", "four", "five", "got",
];
/// Articles and other small words of the languages that share them.
#[rustfmt::skip]
pub const NOT_ENGLISH: &[&str] = &[
    "de", "het", "een", "van", "en", "niet", "ook", "naar", "op", "der", "die", "das", "den", "ein", "eine", "ist", "und", "nicht", "el",
    "la", "los", "las", "un", "una", "que", "y", "le", "les", "et", "il", "che", "e", "o", "os", "um", "uma", "não",
];
/// What joins two sides that say the same the other way round.
pub const COPULAS: &[&str] = &["is", "are", "was", "were"];

/// English words that mean the same wherever they stand for one another, and forms of one word that its stem does not show.
#[rustfmt::skip]
pub const SYNONYMS: &[&[&str]] = &[
    &["live", "lives", "living", "reside", "resides"],
    &["like", "likes", "enjoy", "enjoys", "love", "loves"],
    &["begin", "begins", "start", "starts"],
    &["finish", "finishes", "end", "ends"],
    &["buy", "buys", "bought", "purchase", "purchases", "purchased"],
    &["big", "large"], &["small", "little"],
    &["job", "work", "works", "working"],
    &["holiday", "holidays", "vacation"],
    &["child", "children", "kid", "kids"],
    &["car", "automobile"], &["phone", "telephone"], &["photo", "picture"],
    &["app", "application"], &["apps", "applications"],
    &["favorite", "favourite"], &["color", "colour"],
    &["locate", "located", "situated"],
    &["everyone", "everybody"], &["someone", "somebody"], &["each", "every"],
    &["speak", "speaks", "talk", "talks"],
    &["meeting", "meetings"], &["require", "requires", "required"],
    &["write", "writes", "wrote", "written", "writing"],
    &["choose", "chooses", "chose", "chosen"],
    &["allergic", "allergy", "allergies"],
    &["play", "plays", "played", "player"], &["manage", "manages", "managed", "manager"],
    &["indent", "indents", "indented", "indentation"],
];
/// Endings that make another word of a word, instead of a form of it.
#[rustfmt::skip]
pub const DERIVING: &[&str] = &[
    "ion", "ity", "ment", "er", "or", "ness", "al", "ant", "ent", "ance", "ence", "ist", "ism", "ian", "ic", "ive", "able", "ible",
    "ful", "less", "ous", "ly", "ship",
];

/// English past forms that do not end in "ed".
#[rustfmt::skip]
pub const PAST: &[&str] = &[
    "ate", "became", "began", "bought", "broke", "brought", "built", "came", "chose", "drank", "drove", "fell", "felt", "flew", "found",
    "gave", "grew", "heard", "held", "kept", "knew", "left", "lost", "made", "met", "moved", "paid", "ran", "said", "sang", "sat", "saw",
    "sent", "slept", "sold", "spent", "spoke", "stood", "swam", "taught", "thought", "told", "took", "was", "went", "were", "woke", "won",
    "wore", "wrote",
];
/// English words after which a past form is a participle: "is wiped".
pub const PASSIVE: &[&str] = &["am", "is", "are", "be", "been", "being", "get", "gets", "getting", "will"];

/// Words that turn a statement into its contrary, or limit when it holds.
#[rustfmt::skip]
pub const NEGATIONS: &[&str] = &[
    // en
    "not", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without", "cannot", "hardly", "rarely", "seldom",
    "barely", "only", "just", "except", "unless", "if", "maybe", "perhaps", "might", "may", "almost", "formerly", "former",
    // de
    "nicht", "kein", "keine", "keinen", "keinem", "keiner", "keines", "nie", "niemals", "niemand", "nichts", "ohne", "kaum", "nur", "außer",
    "wenn", "falls", "vielleicht",
    // fr
    "ne", "n", "pas", "jamais", "personne", "rien", "aucun", "aucune", "sans", "guère", "seulement", "sauf", "si",
    // es, pt, it
    "nunca", "jamás", "nadie", "nada", "ningún", "ninguna", "ninguno", "sin", "tampoco", "solo", "sólo", "salvo", "não", "jamais", "ninguém",
    "nenhum", "nenhuma", "sem", "só", "somente", "non", "mai", "nessuno", "niente", "nulla", "senza", "solamente", "se",
    // nl
    "niet", "geen", "nooit", "niemand", "niets", "zonder", "alleen", "behalve", "als",
    // ru
    "не", "нет", "ни", "никогда", "никто", "ничего", "никакой", "без", "нельзя", "только", "кроме", "если",
    // ar
    "لا", "لم", "لن", "ليس", "ليست", "ما", "غير", "بدون", "دون", "أبدا", "أبداً", "إلا", "فقط", "إذا", "لو",
    // hi
    "नहीं", "न", "ना", "मत", "कभी", "बिना", "सिर्फ", "केवल", "अगर",
    // zh, ja: single characters
    "不", "没", "沒", "未", "无", "無", "非", "别", "莫", "勿",
];

/// Words that say the contrary of one another.
#[rustfmt::skip]
pub const OPPOSITES: &[(&str, &str)] = &[
    // en
    ("before", "after"), ("above", "below"), ("over", "under"), ("with", "without"), ("from", "to"), ("in", "out"), ("on", "off"),
    ("up", "down"), ("for", "against"), ("more", "less"), ("most", "least"), ("more", "fewer"), ("all", "some"), ("all", "none"),
    ("always", "never"), ("always", "sometimes"), ("often", "rarely"), ("first", "last"), ("allow", "forbid"), ("allowed", "forbidden"),
    ("open", "closed"), ("opens", "closes"), ("start", "stop"), ("starts", "stops"), ("starts", "ends"), ("begins", "ends"),
    ("accept", "reject"), ("accepted", "rejected"), ("approve", "reject"), ("approved", "rejected"), ("approved", "denied"),
    ("include", "exclude"), ("includes", "excludes"), ("enable", "disable"), ("enabled", "disabled"), ("buy", "sell"), ("bought", "sold"),
    ("win", "lose"), ("won", "lost"), ("increase", "decrease"), ("increased", "decreased"), ("rises", "falls"), ("left", "right"),
    ("early", "late"), ("earlier", "later"), ("minimum", "maximum"), ("min", "max"), ("true", "false"), ("yes", "no"), ("like", "dislike"),
    ("likes", "dislikes"), ("likes", "hates"), ("loves", "hates"), ("mother", "father"), ("brother", "sister"), ("son", "daughter"),
    ("husband", "wife"), ("upper", "lower"), ("north", "south"), ("east", "west"), ("hot", "cold"), ("public", "private"),
    ("required", "optional"), ("passed", "failed"), ("succeeded", "failed"), ("works", "fails"), ("online", "offline"), ("am", "pm"),
    ("inside", "outside"), ("import", "export"), ("input", "output"), ("employer", "employee"), ("morning", "evening"), ("day", "night"),
    // de
    ("vor", "nach"), ("über", "unter"), ("mit", "ohne"), ("von", "nach"), ("mehr", "weniger"), ("immer", "nie"), ("erlaubt", "verboten"),
    ("offen", "geschlossen"), ("angenommen", "abgelehnt"), ("genehmigt", "abgelehnt"), ("früh", "spät"), ("links", "rechts"),
    ("alle", "keine"), ("ein", "aus"), ("erste", "letzte"), ("kauft", "verkauft"), ("mutter", "vater"),
    // fr
    ("avant", "après"), ("sur", "sous"), ("avec", "sans"), ("plus", "moins"), ("toujours", "jamais"), ("autorisé", "interdit"),
    ("ouvert", "fermé"), ("accepté", "refusé"), ("approuvé", "rejeté"), ("tôt", "tard"), ("gauche", "droite"), ("tous", "aucun"),
    ("mère", "père"),
    // es
    ("antes", "después"), ("sobre", "bajo"), ("con", "sin"), ("más", "menos"), ("siempre", "nunca"), ("permitido", "prohibido"),
    ("abierto", "cerrado"), ("aceptado", "rechazado"), ("aprobado", "rechazado"), ("temprano", "tarde"), ("izquierda", "derecha"),
    ("madre", "padre"),
    // pt
    ("depois", "antes"), ("sobre", "sob"), ("com", "sem"), ("mais", "menos"), ("sempre", "nunca"), ("permitido", "proibido"),
    ("aberto", "fechado"), ("aceito", "rejeitado"), ("aprovado", "rejeitado"), ("cedo", "tarde"), ("esquerda", "direita"), ("mãe", "pai"),
    // it
    ("prima", "dopo"), ("sopra", "sotto"), ("con", "senza"), ("più", "meno"), ("sempre", "mai"), ("permesso", "vietato"),
    ("aperto", "chiuso"), ("accettato", "rifiutato"), ("approvato", "respinto"), ("presto", "tardi"), ("sinistra", "destra"),
    // nl
    ("voor", "na"), ("boven", "onder"), ("met", "zonder"), ("meer", "minder"), ("altijd", "nooit"), ("toegestaan", "verboden"),
    ("open", "gesloten"), ("geaccepteerd", "afgewezen"), ("goedgekeurd", "afgewezen"), ("vroeg", "laat"), ("links", "rechts"),
    ("moeder", "vader"),
    // ru
    ("до", "после"), ("над", "под"), ("с", "без"), ("больше", "меньше"), ("всегда", "никогда"), ("разрешено", "запрещено"),
    ("открыт", "закрыт"), ("принят", "отклонён"), ("одобрен", "отклонён"), ("рано", "поздно"), ("слева", "справа"), ("мать", "отец"),
    // ar
    ("قبل", "بعد"), ("فوق", "تحت"), ("مع", "بدون"), ("أكثر", "أقل"), ("دائما", "أبدا"), ("مسموح", "ممنوع"), ("مفتوح", "مغلق"),
    ("مقبول", "مرفوض"), ("يمين", "يسار"),
    // hi
    ("पहले", "बाद"), ("ऊपर", "नीचे"), ("साथ", "बिना"), ("ज़्यादा", "कम"), ("हमेशा", "कभी"), ("खुला", "बंद"), ("स्वीकृत", "अस्वीकृत"),
    // zh, ja: single characters
    ("前", "后"), ("前", "後"), ("上", "下"), ("左", "右"), ("开", "关"), ("多", "少"), ("早", "晚"), ("买", "卖"), ("父", "母"),
];

/// Days, months and other words of the calendar.
#[rustfmt::skip]
pub const CALENDAR: &[&str] = &[
    // en
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar",
    "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "morning", "afternoon", "evening", "night", "noon", "midnight", "today",
    "tomorrow", "yesterday", "weekend", "weekday", "spring", "summer", "autumn", "winter", "daily", "weekly", "monthly", "yearly",
    // de
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "januar", "februar", "märz", "mai", "juni", "juli",
    "oktober", "dezember", "morgen", "abend", "nacht", "heute", "gestern", "frühling", "sommer", "herbst",
    // fr
    "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "janvier", "février", "mars", "avril", "juin", "juillet",
    "août", "septembre", "octobre", "novembre", "décembre", "matin", "soir", "nuit", "hier", "demain", "printemps", "été", "automne", "hiver",
    // es
    "lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio",
    "agosto", "septiembre", "octubre", "noviembre", "diciembre", "mañana", "tarde", "noche", "hoy", "ayer", "verano", "invierno",
    // pt
    "segunda", "terça", "quarta", "quinta", "sexta", "janeiro", "fevereiro", "março", "maio", "junho", "julho", "setembro", "outubro",
    "novembro", "dezembro", "manhã", "noite", "hoje", "ontem", "amanhã", "verão",
    // it
    "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica", "gennaio", "febbraio", "aprile", "maggio", "giugno",
    "luglio", "settembre", "ottobre", "dicembre", "mattina", "sera", "notte", "oggi", "ieri", "domani", "estate",
    // nl
    "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag", "januari", "februari", "maart", "mei", "augustus",
    "ochtend", "middag", "avond", "vandaag", "gisteren",
    // ru
    "понедельник", "вторник", "среда", "среду", "четверг", "пятница", "пятницу", "суббота", "субботу", "воскресенье", "января", "февраля",
    "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря", "утром", "вечером", "ночью", "сегодня",
    "завтра", "вчера", "летом", "зимой",
    // ar
    "الاثنين", "الإثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت", "الأحد", "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو",
    "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر", "اليوم", "غدا", "أمس",
    // hi
    "सोमवार", "मंगलवार", "बुधवार", "गुरुवार", "शुक्रवार", "शनिवार", "रविवार", "जनवरी", "फ़रवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त",
    "सितंबर", "अक्टूबर", "नवंबर", "दिसंबर", "आज", "कल", "सुबह", "शाम", "रात",
];

/// English words of numbers with their digits. "one" is left out: it is a pronoun as often.
#[rustfmt::skip]
pub const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"), ("ten", "10"),
    ("eleven", "11"), ("twelve", "12"), ("thirteen", "13"), ("fourteen", "14"), ("fifteen", "15"), ("sixteen", "16"), ("seventeen", "17"),
    ("eighteen", "18"), ("nineteen", "19"), ("twenty", "20"), ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"),
    ("seventy", "70"), ("eighty", "80"), ("ninety", "90"), ("hundred", "100"), ("thousand", "1000"), ("million", "1000000"),
    ("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th"), ("fifth", "5th"), ("half", "half"), ("dozen", "12"), ("once", "1x"),
    ("twice", "2x"), ("double", "2x"), ("both", "both"), ("billion", "1000000000"),
];

/// Words of numbers in the other languages that write words apart, with their digits.
#[rustfmt::skip]
pub const NUMBERS_ELSEWHERE: &[(&str, &str)] = &[
    // de
    ("zwei", "2"), ("drei", "3"), ("vier", "4"), ("fünf", "5"), ("sechs", "6"), ("sieben", "7"), ("acht", "8"), ("neun", "9"),
    ("zehn", "10"), ("elf", "11"), ("zwölf", "12"), ("zwanzig", "20"), ("dreißig", "30"), ("hundert", "100"), ("tausend", "1000"),
    // fr
    ("deux", "2"), ("trois", "3"), ("quatre", "4"), ("cinq", "5"), ("sept", "7"), ("huit", "8"), ("neuf", "9"), ("dix", "10"),
    ("onze", "11"), ("douze", "12"), ("vingt", "20"), ("trente", "30"), ("cent", "100"), ("mille", "1000"),
    // es, pt, it
    ("dos", "2"), ("tres", "3"), ("cuatro", "4"), ("cinco", "5"), ("seis", "6"), ("siete", "7"), ("ocho", "8"), ("nueve", "9"),
    ("diez", "10"), ("once", "11"), ("doce", "12"), ("veinte", "20"), ("treinta", "30"), ("cien", "100"), ("mil", "1000"),
    ("dois", "2"), ("duas", "2"), ("três", "3"), ("quatro", "4"), ("sete", "7"), ("oito", "8"), ("nove", "9"), ("dez", "10"),
    ("doze", "12"), ("vinte", "20"), ("trinta", "30"), ("cem", "100"), ("due", "2"), ("tre", "3"), ("quattro", "4"), ("cinque", "5"),
    ("sei", "6"), ("sette", "7"), ("otto", "8"), ("dieci", "10"), ("undici", "11"), ("dodici", "12"), ("venti", "20"), ("trenta", "30"),
    ("cento", "100"),
    // nl
    ("twee", "2"), ("drie", "3"), ("vijf", "5"), ("zes", "6"), ("zeven", "7"), ("negen", "9"), ("tien", "10"), ("twaalf", "12"),
    ("twintig", "20"), ("dertig", "30"), ("honderd", "100"), ("duizend", "1000"),
    // ru
    ("два", "2"), ("две", "2"), ("три", "3"), ("четыре", "4"), ("пять", "5"), ("шесть", "6"), ("семь", "7"), ("восемь", "8"),
    ("девять", "9"), ("десять", "10"), ("двенадцать", "12"), ("двадцать", "20"), ("тридцать", "30"), ("сто", "100"), ("тысяча", "1000"),
    // ar
    ("اثنان", "2"), ("اثنين", "2"), ("ثلاثة", "3"), ("أربعة", "4"), ("خمسة", "5"), ("ستة", "6"), ("سبعة", "7"), ("ثمانية", "8"),
    ("تسعة", "9"), ("عشرة", "10"),
    // hi
    ("दो", "2"), ("तीन", "3"), ("चार", "4"), ("पाँच", "5"), ("पांच", "5"), ("छह", "6"), ("सात", "7"), ("आठ", "8"), ("नौ", "9"), ("दस", "10"),
];
