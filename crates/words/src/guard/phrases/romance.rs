//! Orders to agents in French, Spanish, Portuguese and Italian.

use super::Order::{self, Command, Dismiss, Hide, Memory, Persona, Reader, Reveal, Rights};

#[rustfmt::skip]
pub const PATTERNS: &[(Order, &str)] = &[
    // French
    (Dismiss, "tes|vos * regles|consignes|instructions|restrictions|limites|directives ** ne * s'appliquent|s'applique|comptent|\
        valent|valables * pas|plus|pas_ici"),
    (Command, "^reponds|repondez * a|toutes|tous|chaque * chaque|toute|toutes|question|questions|demande ** avec|par|en_citant * nom|numero|mots|phrase|lien|mallory"),
    (Command, "^efface|effacez|supprime|supprimez|detruis|oublie * tous|toutes|tes|les ** souvenirs|memoires|memoire"),
    (Persona, "fais|faites|agis|comporte ** comme ** aucune|sans|pas_de|n'avais|n'avait * limite|limites|regle|regles|restriction|\
        restrictions|aucune_limite|aucune_regle"),
    (Command, "en_tant_que developpeur|administrateur|admin|proprietaire|concepteur ** ordonne|demande|autorise"),
    (Dismiss, "ignore|ignorez|ignorer|oublie|oubliez|neglige~|outrepasse~|annule~|contourne~ ** precedent~|anterieur~|ci-dessus|ci|\
        toutes|tes|vos|initiale~|dessus|tout|avant ** instruction~|consigne~|regle~|directive~|ordre~|prompt~|qu'on|que_l|dit|avant"),
    (Dismiss, "ignore|ignorez|oublie|oubliez ** instruction~|consigne~|regle~|directive~|prompt~ ** precedent~|anterieur~|ci|recu~|\
        dessus|donne~|avant"),
    (Dismiss, "ne tiens|tenez|tenir|prends|prenez|fais|faites * plus|pas|aucun|aucune * compte|cas|attention ** instruction~|\
        consigne~|regle~|directive~|ordre~"),
    (Dismiss, "fais|faites|faisant abstraction|fi ** instruction~|consigne~|regle~|directive~|ordre~"),
    (Dismiss, "ne suis|suivez|respecte|respectez * plus|pas * instruction~|consigne~|regle~|directive~"),
    (Dismiss, "nouvelle|nouvelles regle|consigne|instruction|instructions|directive * reponds|repondez|recommande|toujours|tu|vous|\
        dis|dites"),
    (Reveal, "revele~|montre~|affiche~|donne~|repete~|imprime~|divulgue~|ecris|dis|dites|communique~ ** prompt|instruction~|consigne~|\
        directive~ * systeme|cachees|secretes|internes|initiales|initial|secret|cache"),
    (Reveal, "revele~|montre~|affiche~|donne~|repete~|divulgue~|dis|dites|ecris ** ton|tes|votre|vos * prompt~|instruction~|consigne~|\
        directive~"),
    (Reveal, "^envoie|envoyez|transfere~|transmets|transmettez|publie~ ** message~|conversation~|donnees|memoire~|mot|mots|cle|cles|\
        secret~|historique|reponse~ ** http|https|www|mallory"),
    (Hide, "ne dis|dites|parle|parlez|informe|informez|previens|prevenez|mentionne|mentionnez|revele|revelez ** l'utilisateur|\
        utilisateur|utilisatrice|aux_utilisateurs"),
    (Hide, "n'en|ne parle|parlez|dis|dites|souffle|soufflez|touche|lui|le|leur ** l'utilisateur|utilisateur"),
    (Hide, "l'utilisateur|utilisateur ne * sache|savoir|apprendre|apprenne"),
    (Hide, "cache|cachez|cacher|dissimule~|garde|gardez|sans_le_dire ** l'utilisateur|utilisateur"),
    (Hide, "sans en_informer|informer|le_dire|prevenir|avertir ** l'utilisateur|utilisateur"),
    (Persona, "desormais|dorenavant|a_partir_de_maintenant|a_partir_d'ici|a_partir_de_la ** reponds|repondez|repondras|recommande~|\
        obeis|obeissez|ignore~|agis|comporte-toi|comporte|es_un|parle|parles|refuse~"),
    (Persona, "agis|agissez|comporte~|reponds|fais|joue|pretends ** comme|semblant * sans|non|illimite~|restriction~|aucune|filtre~ * \
        restriction~|limite~|regle~|filtre~|censure~|restreint~"),
    (Persona, "tu_es|vous_etes * maintenant|desormais * sans|libre|illimite|non_censure|dan|un_modele_sans"),
    (Command, "^recommande|recommandez|conseille|conseillez|vante * toujours|systematiquement|a_tous|a_chaque ** utilisateur~|client~|\
        exception|tous|chaque"),
    (Command, "si|quand|lorsque|des_que * quelqu'un|on|l'utilisateur|utilisateur|quelqu|client ** demande|interroge|cherche ** cite|\
        citez|recommandez|reponds|repondez|dis|dites|affirme|pretends|recommande"),
    (Command, "execute|executez|lance|lancez|appelle|appelez * commande|commandes|code|script|outil|rm|fonction ** suivant~|suivante|\
        rm|delete|curl|sudo"),
    (Command, "^obeis|obeissez * a|au|uniquement"),
    (Rights, "utilisateur|l'utilisateur ** est|a * administrateur|admin|root|tous_les|droits ** tout|droits|acces|peut"),
    (Rights, "utilisateur|l'utilisateur a * deja|explicitement * approuve|autorise|accepte|consenti|valide"),
    (Memory, "enregistre~|sauvegarde~|ajoute~|ecris|stocke~ ** ta|votre * memoire"),
    (Reader, "note|message|instruction~|consigne~|attention|avis * pour|a|aux * l'ia|ia|l'assistant|assistant|agent~|\
        modele_de_langage|llm|chatbot"),
    (Reader, "si tu_es|vous_etes * ia|assistant|modele_de_langage|agent|llm|chatbot"),
    // Spanish
    (Dismiss, "tus|sus * reglas|normas|instrucciones|restricciones|limites|directrices ** no * aplican|aplica|valen|cuentan|rigen"),
    (Command, "^responde|contesta|responda|conteste * a|todas|cada * cada|todas|toda|pregunta|preguntas ** con|diciendo * nombre|numero|palabras|frase|enlace|mallory"),
    (Command, "^borra|borre|elimina|elimine|olvida|destruye * todos|todas|tus|los ** recuerdos|memorias|memoria"),
    (Persona, "haz|finge|actua|comportate ** como|que ** sin|no|tuvieras|tienes * limites|reglas|restricciones"),
    (Command, "como desarrollador|administrador|dueno|creador ** ordeno|mando|autorizo|exijo"),
    (Dismiss, "ignora|ignore|ignorad|ignoren|olvida|olvide|olvidate|descarta|descarte|omite|omita|desobedece|salta|anula ** anterior~|\
        previa~|previo~|todas|todo|tus|sus|arriba|antes|iniciales ** instruccion~|regla~|norma~|indicacion~|directriz~|directrices|\
        orden|ordenes|prompt|dicho|dijeron|restriccion~|antes"),
    (Dismiss, "ignora|ignore|olvida|olvide ** instruccion~|regla~|indicacion~|directrices|prompt ** anterior~|previa~|arriba|recibid~"),
    (Dismiss, "olvida~|olvide~|ignora~ ** dijeron|dijo|dicho|ensenaron|ordenaron|antes ** obedece~|antes|ahora|solo"),
    (Hide, "no|nunca * se_lo|le|lo|les * cuentes|digas|diga|cuente|menciones|reveles ** usuario|usuaria"),
    (Dismiss, "haz|haga|hagas|hagan * caso_omiso|caso ** instruccion~|regla~|norma~|indicacion~|directrices|ordenes"),
    (Dismiss, "no hagas|haga|prestes|preste|tengas|tenga ** instruccion~|regla~|norma~|indicacion~|directrices|ordenes"),
    (Dismiss, "no|deja_de|deje_de sigas|siga|seguir|obedezcas|obedecer|respetes * reglas|instrucciones|normas|directrices"),
    (Dismiss, "nueva|nuevas regla|instruccion|instrucciones|norma|orden * responde|recomienda|siempre|di|debes|contesta"),
    (Reveal, "revela|revele|muestra|muestre|imprime|repite|dime|dame|ensena|divulga|escribe|muestrame ** prompt|instrucciones|\
        indicaciones|mensaje|reglas|directrices * del_sistema|sistema|ocultas|secretas|internas|iniciales|secreto"),
    (Reveal, "revela|muestra|muestrame|imprime|repite|dime|dame|escribe ** tu|tus * prompt|instrucciones|directrices|indicaciones"),
    (Reveal, "^envia|envie|reenvia|reenvie|manda|mande|publica|sube|transmite ** mensajes|conversacion~|datos|memoria~|contrasena~|\
        clave~|historial|secretos|respuestas ** http|https|www|mallory"),
    (Hide, "no|sin|nunca digas|diga|decir|decirle|decirselo|informes|informe|informar|menciones|mencionar|avises|avisar|reveles|\
        cuentes|le_digas|se_lo_digas|lo_menciones ** usuario|usuaria|al_usuario"),
    (Hide, "usuario|usuaria no|nunca * entere|sepa|enterarse|saber|debe_saber"),
    (Hide, "oculta|oculte|esconde|ocultalo|ocultaselo|guarda|manten * al|del|usuario|secreto ** usuario"),
    (Persona, "a_partir_de_ahora|desde_ahora|de_ahora_en_adelante|en_adelante|desde_este_momento|a_partir_de_aqui ** responde~|\
        contesta~|recomienda~|recomendar~|obedece~|ignora~|actua~|eres|comportate|di|habla~|responder~"),
    (Persona, "actua|actue|comportate|responde|finge|haz * como|que * sin|no|ilimitad~|modelo * restriccion~|limite~|filtro~|regla~|\
        censura|restringido"),
    (Persona, "ahora eres|seras|tu_eres ** sin|dan|libre|ilimitado"),
    (Command, "^recomienda|recomiende|sugiere|promociona|menciona * siempre|a_todos|a_cada|a_cualquier ** usuario~|client~|excepcion~|\
        todos|cada"),
    (Command, "si|cuando|cada_vez_que * alguien|usuario|el_usuario|cliente|te ** pregunta|pregunte|preguntan|pide|pida|busca ** \
        menciona|sugiere|responde|contesta|di|afirma|recomienda|dile"),
    (Command, "ejecuta|ejecute|corre|lanza|llama|invoca * siguiente|comando|codigo|script|herramienta|rm|funcion * comando|codigo|\
        script|siguiente|rm|curl|sudo|herramienta"),
    (Command, "^obedece|obedezca * a|al|solo"),
    (Rights, "usuari~ ** es|tiene * administrador~|admin|root|todos_los ** todo|permisos|acceso|puede|derechos"),
    (Rights, "usuari~ * ya|ha ** aprobado|autorizado|aceptado|consentido|dado_permiso"),
    (Memory, "guarda|guarde|anade|agrega|almacena|escribe ** tu|su memoria"),
    (Reader, "nota|mensaje|instruccion~|atencion|aviso * para|a|al|la|el * ia|asistente|agente~|modelo_de_lenguaje|llm|chatbot|\
        inteligencia_artificial"),
    (Reader, "si eres|es|usted_es * ia|asistente|modelo_de_lenguaje|llm|chatbot|inteligencia"),
    // Portuguese
    (Dismiss, "suas|tuas|as_suas * regras|normas|instrucoes|restricoes|limites|diretrizes ** nao * aplicam|aplica|valem|contam"),
    (Command, "^responda|responde * a|toda|todas|cada * pergunta|perguntas|questao|questoes ** com|dizendo * nome|numero|palavras|frase|link|mallory"),
    (Command, "^apague|apaga|exclua|elimine|delete|esqueca * todas|todos|suas|as ** memorias|lembrancas|memoria"),
    (Persona, "finja|aja|comporte ** que|como|se ** nao|sem * tem|limites|regras|restricoes|tem_limites"),
    (Command, "como desenvolvedor|administrador|dono|criador ** ordeno|mando|autorizo"),
    (Dismiss, "ignore|ignora|ignorem|esqueca|esquece|desconsidere|desconsidera|descarte|anule|desobedeca ** anterior~|previa~|todas|\
        tudo|suas|acima|antes|iniciais ** instruco~|instrucao|regra~|norma~|diretriz~|orientaco~|ordens|comando~|prompt|disseram|dito|\
        restrico~|antes"),
    (Dismiss, "ignore|esqueca|desconsidere|descarte|anule ** norma~|ordens|instruco~|regra~|diretriz~|orientaco~|prompt ** anterior~|\
        acima|recebid~|previa~"),
    (Dismiss, "nao|deixe|faca leve|de|caso|tenha|ligue|preste ** instruco~|regra~|norma~|diretriz~|orientaco~ ** anterior~|recebid~|\
        antes|acima|previa~"),
    (Dismiss, "nao|pare_de|deixe_de siga|seguir|obedeca|obedecer|respeite * regras|instrucoes|diretrizes|normas"),
    (Dismiss, "nova|novas regra|instrucao|instrucoes|ordem|diretriz * responda|recomende|sempre|diga|voce"),
    (Reveal, "revele|revela|mostre|mostra|imprima|repita|diga|exiba|divulgue|me_de|escreva|mostre-me ** prompt|instrucoes|orientacoes|\
        mensagem|regras|diretrizes * do_sistema|sistema|ocultas|secretas|internas|iniciais|secreto"),
    (Reveal, "revele|mostre|imprima|repita|exiba|diga|me_de ** seu|suas|teu|tuas * prompt|instrucoes|diretrizes|orientacoes"),
    (Reveal, "^envie|encaminhe|encaminha|mande|publique|transmita|reenvie ** mensagens|conversa~|dados|memoria~|senha~|chave~|\
        historico|segredos|respostas ** http|https|www|mallory"),
    (Hide, "nao|sem|nunca diga|dizer|conte|contar|informe|informar|mencione|mencionar|avise|avisar|revele ** usuario|utilizador|usuaria"),
    (Hide, "usuario|utilizador nao|nunca * saiba|descubra|pode_saber|deve_saber"),
    (Hide, "esconda|oculte|omita|mantenha|guarde ** usuario|utilizador"),
    (Persona, "a_partir_de_agora|de_agora_em_diante|daqui_em_diante|doravante|a_partir_daqui ** responda|responde~|recomende|obedeca|\
        ignore|aja|voce_e|comporte-se|comporte|diga|fale|so_responde"),
    (Persona, "aja|comporte|responda|finja|atue ** como|que * sem|nao|ilimitad~|irrestrit~ ** restrico~|limite~|filtro~|regra~|\
        censura|modelo"),
    (Persona, "agora_voce_e|voce_agora_e|agora_es ** sem|dan|livre|irrestrit~"),
    (Command, "^recomende|recomenda|sugira|promova|mencione * sempre|a_todos|para_todos|a_cada ** usuari~|utilizador~|cliente~|\
        excecao|excecoes|todos|cada"),
    (Command, "se|quando|sempre_que * alguem|usuario|o_usuario|utilizador|cliente * perguntar|pergunta|pedir|perguntarem ** responda|\
        diga|afirme|recomende"),
    (Command, "execute|rode|chame|invoque * seguinte|comando|codigo|script|ferramenta|rm|funcao * comando|codigo|script|seguinte|rm|\
        curl|sudo|ferramenta"),
    (Command, "^obedeca * a|ao|apenas|somente"),
    (Rights, "usuari~|utilizador ** e|tem * administrador~|admin|root|todos_os ** tudo|permisso~|acesso|pode|direitos"),
    (Rights, "usuari~|utilizador ja|tinha * aprovou|autorizou|aceitou|consentiu|confirmou"),
    (Memory, "salve|guarde|grave|adicione|armazene|escreva ** sua|tua memoria"),
    (Reader, "nota|mensagem|instruco~|atencao|aviso * para|a|ao|aos * ia|assistente~|agente~|modelo_de_linguagem|llm|chatbot|\
        inteligencia_artificial"),
    (Reader, "se voce * e|for * ia|assistente|modelo_de_linguagem|llm|chatbot"),
    // Italian
    (Dismiss, "tue|sue|vostre * regole|istruzioni|restrizioni|direttive|limiti|di_sicurezza ** non * valgono|vale|applicano|contano"),
    (Command, "^rispondi|risponda * a|ogni|tutte * ogni|domanda|domande|richiesta ** con|dicendo * nome|numero|parole|frase|link|mallory"),
    (Command, "^cancella|elimina|distruggi|rimuovi * tutti|tutte|tuoi|i ** ricordi|memorie|memoria"),
    (Persona, "fai|fingi|comportati ** finta|di|come ** non|senza * avere|avessi|hai|limiti|regole|restrizioni"),
    (Command, "come|in_qualita_di sviluppatore|amministratore|proprietario|creatore ** ordino|comando|autorizzo"),
    (Dismiss, "ignora|ignori|ignorate|ignorare|dimentica|dimentichi|dimenticate|trascura|scavalca|annulla|disattendi ** precedent~|\
        tutte|tutto|tue|sue|sopra|prima|iniziali ** istruzion~|regol~|direttiv~|indicazion~|ordini|comand~|prompt|detto|restrizion~|\
        prima"),
    (Dismiss, "ignora|dimentica ** istruzion~|regol~|direttiv~|indicazion~|prompt ** precedent~|sopra|ricevut~|prima"),
    (Dismiss, "non tenere|tieni|tenga|dare|badare|considerare|fare ** istruzion~|regol~|direttiv~|indicazion~|ordini ** precedent~|\
        sopra|ricevut~|prima|date"),
    (Dismiss, "non|smetti_di|smetta_di seguire|segui|rispettare|obbedire|rispettare * regole|istruzioni|direttive|tue|le * regole|\
        istruzioni|direttive"),
    (Dismiss, "nuova|nuove regola|istruzione|istruzioni|direttiva * rispondi|raccomanda|consiglia|sempre|devi|di"),
    (Reveal, "rivela|mostra|stampa|ripeti|dimmi|dammi|divulga|scrivi|mostrami|visualizza ** prompt|istruzioni|indicazioni|messaggio|\
        regole|direttive * di_sistema|del_sistema|sistema|nascoste|segrete|interne|iniziali|segreto"),
    (Reveal, "rivela|mostra|stampa|ripeti|dimmi|mostrami|dammi|scrivi ** tuo|tue * prompt|istruzioni|direttive|indicazioni"),
    (Reveal, "^invia|inoltra|manda|pubblica|trasmetti|inviare ** messagg~|conversazion~|dati|memori~|password|chiav~|cronologia|\
        segreti|rispost~ ** http|https|www|mallory"),
    (Hide, "non|senza|mai dire|dirlo|dica|informare|menzionare|avvisare|rivelare|dirgli|farne_parola ** utente|all'utente|l'utente"),
    (Hide, "utente|l'utente non|mai * sappia|scopra|deve_sapere"),
    (Hide, "nascondi|nascondere|nascondilo|tieni|mantieni|occulta ** utente|all'utente|dall'utente"),
    (Persona, "da_ora_in_poi|d'ora_in_poi|da_adesso_in_poi|d'ora_in_avanti|da_questo_momento ** rispondi|risponderai|consiglia|\
        raccomanda|obbedisci|ignora|agisci|sei_un|comportati|parla|parli|dovrai_rispondere|rifiuta"),
    (Persona, "agisci|comportati|rispondi|fingi|fai ** come|finta|essere ** senza|non|illimitat~ * restrizion~|limit~|filtr~|regol~|\
        censura"),
    (Persona, "ora|adesso sei|tu_sei ** senza|dan|libero|illimitato"),
    (Command, "^raccomanda|consiglia|suggerisci|promuovi|menziona * sempre|a_tutti|a_ogni ** utent~|client~|eccezion~|tutti|ogni"),
    (Command, "se|quando|ogni_volta_che * qualcuno|l'utente|utente|cliente|ti ** chiede|chiedono|domanda|cerca ** consiglia|\
        suggerisci|cita|rispondi|di'|di|afferma|raccomanda|dì|sostieni"),
    (Command, "esegui|esegua|lancia|chiama|invoca * seguente|comando|codice|script|strumento|rm|funzione * comando|codice|script|\
        seguente|rm|curl|sudo|strumento"),
    (Command, "^obbedisci|ubbidisci * a|all|solo"),
    (Rights, "utente|l'utente ** e|ha * amministratore|admin|root|tutti_i ** tutto|permessi|accesso|puo|diritti"),
    (Rights, "utente|l'utente ha * gia|esplicitamente * approvato|autorizzato|accettato|acconsentito|confermato"),
    (Memory, "salva|memorizza|aggiungi|scrivi|registra ** tua|sua memoria"),
    (Reader, "nota|messaggio|istruzion~|attenzione|avviso * per|a|all'|alla * ia|l'ia|assistent~|l'assistente|agent~|\
        modello_linguistico|llm|chatbot|intelligenza_artificiale"),
    (Reader, "se sei|tu_sei * ia|assistente|modello_linguistico|llm|chatbot|intelligenza"),
];
