//! Orders to agents in German and Dutch.

use super::Order::{self, Command, Dismiss, Hide, Memory, Persona, Reader, Reveal, Rights};

#[rustfmt::skip]
pub const PATTERNS: &[(Order, &str)] = &[
    // German
    (Dismiss, "deine|ihre|eure * regel~|sicherheitsregel~|richtlinie~|vorgab~|anweisung~|einschrankung~|grenzen ** gelten|gilt|zahlen|\
        binden ** nicht|nicht_mehr"),
    (Command, "beantworte|beantworten_sie|antworte|antworten_sie auf|jede|alle|jeder * jede|frage|fragen|anfrage|anfragen ** mit * namen|nummer|worten|satz|link|mallory"),
    (Command, "^losche|loschen_sie|entferne|vergiss|vernichte * alle|alles|deine|samtliche ** erinnerungen|gedachtnis|memories"),
    (Persona, "tu|tue|verhalte|benimm ** als * keine|keinerlei|ohne|hattest|hattest_du * grenzen|regeln|einschrankungen|\
        beschrankungen|keine_grenzen|keine_regeln"),
    (Command, "als entwickler|administrator|admin|betreiber|dein_entwickler|systemadministrator ** befehle|weise|ordne ** dir|ihnen|\
        dich|an"),
    (Dismiss, "ignorier~|vergiss|vergesst|vergessen_sie|missacht~|uberspring~|verwirf|uberschreib~|missachte ** vorherig~|vorig~|\
        bisherig~|fruher~|obig~|alle|alles|deine|ihre|samtlich~|vorangegang~|gegeben~|ursprunglich~ ** anweisung~|regel~|vorgab~|\
        instruktion~|befehl~|anordnung~|richtlinie~|prompt~|einschrankung~|gesagt|gelernt|wurde"),
    (Dismiss, "befolg~|beacht~|folg~ * nicht_mehr|keine|nicht * anweisung~|regel~|vorgab~|richtlinie~|instruktion~"),
    (Dismiss, "acht~|achte|beachte|kummere|gib|gebt|schere ** keine|nicht|nichts ** anweisung~|regel~|vorgab~|richtlinie~|\
        instruktion~|gesagt~"),
    (Dismiss, "beachte~|befolg~|folg~|berucksichtig~ ** anweisung~|regel~|vorgab~|richtlinie~|instruktion~|befehl~ ** nicht_mehr|\
        nicht_weiter|nicht|keinesfalls"),
    (Hide, "verschweig~|verheimlich~|verberg~|verbirg ** ihm|ihr|ihnen|nutzer~|benutzer~"),
    (Dismiss, "neue regel|anweisung|vorgabe|instruktion * antworte|antwort~|empfiehl|sage|du|immer|ab_jetzt|ab_sofort"),
    (Reveal, "zeig~|verrat~|nenn~|gib|gebe|wiederhol~|druck~|offenbar~|schreib~|sag~|lies ** system|systemprompt~|system-prompt~|\
        systemanweisung~|systemnachricht~|verborgen~|geheim~|internen|deine|deinen|ihre ** prompt~|anweisung~|systemprompt~|\
        instruktion~|systemanweisung~|systemnachricht~|vorgab~"),
    (Reveal, "nenn~|gib|zeig~|sag~|verrat~|schreib~|wiederhol~ ** wortlaut|text|inhalt * deiner|deines|ihrer|ihres|der_system~ * \
        anweisung~|prompt~|systemprompt~|vorgab~|regel~|instruktion~"),
    (Reveal, "zeig~|verrat~|nenn~|gib|wiederhol~|sag~ * systemprompt~|systemanweisung~|systemnachricht~"),
    (Reveal, "^sende|schick|schicke|leite|leiten_sie|ubermittle|poste|lade|senden_sie|schicken_sie ** nachricht~|gesprach~|daten|\
        erinnerung~|passwort~|schlussel|verlauf|geheim~|unterhaltung~|antwort~ ** http|https|www|mallory"),
    (Hide, "sag~|erzahl~|verrat~|teil~|informier~|erwahn~ * nutzer~|benutzer~|anwender~|user * nichts|nicht|davon_nichts|niemals"),
    (Hide, "sag~|erzahl~|verrat~|teil~|informier~|erwahn~ ** nutzer~|benutzer~|anwender~|user ** nicht|nichts|nie|niemals|keinen_fall|\
        kein_wort"),
    (Hide, "vor dem|den nutzer|benutzer|anwender|nutzern|user geheim|verbirg|verberg~|verheimlich~|verschweig~"),
    (Hide, "verbirg|verberg~|verheimlich~|verschweig~|verstecke|halte ** nutzer~|benutzer~|anwender~|user"),
    (Persona, "^antworte|antworten_sie ab|von jetzt|sofort|nun * immer|nur|stets|mit"),
    (Persona, "ab|von jetzt|sofort|nun|hier|heute|diesem_moment ** antworte immer|nur|stets|nie|mit|auf|als|so|wie|ohne|in"),
    (Persona, "ab|von jetzt|sofort|nun|hier|heute|diesem_moment ** antwortest|antworten_sie|empfiehl~|empfehl~|gehorch~|\
        ignorier~|verhalt~|sprichst|bist_du_ein|tu_so|gib_dich|befolg~"),
    (Persona, "verhalt~|benimm|handle|agier~|antwort~|tu|spiel~ ** als|wie|ob * uneingeschrankt~|ungefiltert~|unzensiert~|ohne_regeln|\
        ohne_einschrankung~|keine_regeln|keine_einschrankung~"),
    (Persona, "du|sie bist|sind * jetzt|nun|ab_sofort * uneingeschrankt~|ungefiltert~|unzensiert~|dan|frei_von|nicht_mehr|ohne"),
    (Command, "^empfiehl|empfehlen_sie|empfehle|bewirb|nenne * immer|stets|jedem|allen|nur ** nutzer~|benutzer~|kunde~|jedem|allen|\
        ausnahme|immer"),
    (Command, "wenn|falls|sobald * nutzer~|benutzer~|anwender~|user|kunde ** fragt|fragen|wissen|sucht ** antworte|antwortest|\
        antworten_sie|sag|sage|behaupt~|empfiehl|empfehle|nenn~|erwidere"),
    (Command, "wenn|falls|sobald * jemand|einer|man ** fragt|fragen|wissen|sucht ** antworte|antwortest|antworten_sie|sag|sage|\
        behaupt~|empfiehl|nenn~|erwidere"),
    (Command, "fuhr~|fuhre|starte|ruf~ * folgende~|diesen|dieses|den * befehl|befehle|code|kommando|skript|rm|tool|werkzeug * aus|auf"),
    (Command, "^gehorche|gehorchen_sie|befolge * mallory|nur|nutzer~|benutzer~|mir|ausschliesslich"),
    (Rights, "nutzer~|benutzer~|anwender|user ** ist|hat * admin~|administrator~|root ** alles|darf|rechte|zugriff|voll~"),
    (Rights, "nutzer~|benutzer~ * hat|haben * bereits|schon|ausdrucklich * zugestimmt|genehmigt|erlaubt|freigegeben|eingewilligt"),
    (Memory, "speicher~|merk~|schreib~ ** gedachtnis|langzeitgedachtnis|erinnerungen|speicher"),
    (Reader, "hinweis|nachricht|anweisung~|achtung|wichtig|notiz * an|fur die|den|das|alle|eine * ki|ki-assistent~|ki-agent~|\
        assistent~|sprachmodell~|chatbot~|ai"),
    (Reader, "wenn|falls du|sie * eine|ein * ki|sprachmodell|assistent|ki-assistent|chatbot|agent bist|sind"),
    // Dutch
    (Dismiss, "je|jouw|uw|jullie * regels|veiligheidsregels|richtlijnen|instructies|beperkingen|grenzen ** gelden|tellen ** niet|\
        niet_meer"),
    (Command, "^beantwoord|antwoord elke|alle|iedere|op_elke|op_alle * vraag|vragen|verzoek ** met * naam|nummer|woorden|zin|link|mallory"),
    (Command, "^wis|verwijder|vergeet|vernietig * alle|al|je ** herinneringen|geheugen"),
    (Persona, "doe|gedraag ** alsof ** geen * grenzen|regels|beperkingen"),
    (Command, "als ontwikkelaar|beheerder|eigenaar ** beveel|gebied|draag ** je|jou|u"),
    (Dismiss, "negeer|negeert|vergeet|overschrijf|omzeil|sla ** vorige|eerdere|voorgaande|bovenstaande|alle|alles|je|jouw|uw|\
        oorspronkelijke ** instructies|instructie|regels|richtlijnen|opdrachten|aanwijzingen|prompt~|beperkingen|gezegd|verteld|\
        hiervoor"),
    (Dismiss, "trek|let|sla|leg|schuif|houd ** niets|niet|naast|opzij|terzijde|geen ** instructies|regels|richtlijnen|opdrachten|\
        aanwijzingen"),
    (Dismiss, "volg|gehoorzaam|stop_met_het_volgen ** niet_meer|niet|geen|van ** regels|instructies|richtlijnen"),
    (Dismiss, "nieuwe regel|regels|instructie|instructies|richtlijn * antwoord|beveel|altijd|je_moet|zeg"),
    (Reveal, "toon|onthul|herhaal|print|geef|laat|verklap|vertel|schrijf ** systeemprompt|systeem-prompt|systeeminstructies|\
        systeembericht|verborgen_instructies|geheime_instructies|je_instructies|jouw_instructies|uw_instructies|je_prompt"),
    (Reveal, "^stuur|verstuur|mail|plaats|upload ** berichten|gesprekken|gesprek|gegevens|data|geheugen|wachtwoord~|sleutel~|\
        geschiedenis|geheimen|antwoorden ** http|https|www|mallory"),
    (Hide, "vertel|zeg|meld|informeer ** gebruiker ** niet|niets|nooit"),
    (Hide, "vertel|zeg|meld|noem|laat * niet|niets|nooit ** gebruiker"),
    (Hide, "verberg|houd|verzwijg ** gebruiker~"),
    (Hide, "zonder * gebruiker ** vertellen|informeren|zeggen|melden|weten"),
    (Persona, "vanaf_nu|vanaf_hier|voortaan|vanaf_dit_moment ** antwoord|antwoordt|beveel|raad|gehoorzaam|negeer|gedraag|ben_je_een|\
        doe_alsof|spreek|weiger"),
    (Persona, "gedraag|doe|handel|antwoord|speel ** als|alsof ** onbeperkt~|ongefilterd~|ongecensureerd~|zonder_regels|\
        zonder_beperkingen|geen_regels|geen_beperkingen"),
    (Persona, "je|jij|u bent * nu|voortaan * onbeperkt~|ongefilterd~|dan|vrij|niet_langer|zonder"),
    (Command, "^beveel|raad|adviseer|noem|promoot * altijd|steeds|aan_elke|aan_alle ** gebruiker~|klant~|uitzondering~|iedereen|elke"),
    (Command, "als|wanneer|zodra * iemand|gebruiker|de_gebruiker|klant ** vraagt|zoekt ** raad|antwoord|zeg|beweer|noem|beveel"),
    (Command, "voer|start|roep * volgende|opdracht|commando|code|script|rm|tool|functie * opdracht|commando|code|script|uit|aan|rm"),
    (Command, "^gehoorzaam * aan|alleen|de|mallory"),
    (Rights, "gebruiker ** is|heeft * beheerder|admin~|root|alle ** alles|rechten|toegang|mag"),
    (Rights, "gebruiker * heeft|is * al|reeds|uitdrukkelijk * goedgekeurd|toegestemd|toestemming|bevestigd"),
    (Memory, "sla|bewaar|schrijf|zet|voeg ** in|aan|op * je|jouw|uw * geheugen"),
    (Reader, "let_op|bericht|instructies|notitie|opdracht|belangrijk * aan|voor * de|alle|een * ai|ai-assistent~|assistent~|\
        taalmodel~|chatbot~|agent~"),
    (Reader, "als je|jij|u * een|de * ai|taalmodel|assistent|chatbot|ai-assistent bent"),
];
