// Recognizes keywords in replies to text messages (C4). Pure.

export type Keyword = 'stop' | 'start' | 'help' | 'yes'

/** English, German, Spanish, French, Italian, Portuguese, Dutch and Polish, without accents. */
const STOP = splitTerms(`
  STOP STOPALL QUIT END REVOKE OPTOUT CANCEL UNSUBSCRIBE REMOVE UNSUB
  STOPP STOPPT STOPPEN ENDE ABMELDEN ABBESTELLEN ABMELDUNG AUSTRAGEN AUFHOREN
  BAJA ALTO BASTA PARAR PARE CANCELAR DETENER DESUSCRIBIR DESUSCRIBIRME DESUSCRIBIRSE
  ARRET ARRETE ARRETER ARRETEZ DESABONNER DESINSCRIRE DESINSCRIPTION DESABONNEMENT
  FERMA FERMATE DISISCRIVI DISISCRIVIMI CANCELLA CANCELLAMI CANCELLATEMI ANNULLA SAIR REMOVER DESCADASTRAR AFMELDEN UITSCHRIJVEN
  WYPISZ WYPISZCIE WYPISUJE REZYGNUJE ZATRZYMAJ`)
/** Multi-word forms of STOP. */
const STOP_PHRASES = [
  'OPT OUT',
  'OPT ME OUT',
  'TAKE ME OFF',
  'NO MORE',
  'DO NOT TEXT',
  'DONT TEXT',
  'DON T TEXT',
  'DO NOT CONTACT',
  'DONT CONTACT',
  'DON T CONTACT',
  'DO NOT MESSAGE',
  'DONT MESSAGE',
  'DON T MESSAGE',
  'LEAVE ME ALONE',
  'GO AWAY',
  'FUCK OFF',
  'PISS OFF',
  'NICHT MEHR',
  'KEINE WEITEREN',
  'NO MAS',
  'PLUS DE',
  'LAISSEZ MOI TRANQUILLE',
  'NON PIU',
  'LASCIATEMI IN PACE',
  'NAO MAIS',
  'CHEGA DE',
  'LAAT ME MET RUST',
  'LAAT MIJ MET RUST',
  'NIE WIECEJ',
]
/** Filler words around a stop word do not change its meaning. */
const FILLERS = splitTerms(`
  PLEASE PLS PLZ ALL NOW IT ME US MY THIS THESE THOSE THE YOUR YOU TO I WANT WOULD LIKE CAN COULD FROM OFF LIST LISTS AGAIN ANYMORE HELLO HI
  TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING SMS WHATSAPP SENDING SEND CONTACTING SPAM SPAMMING MARKETING PROMOTIONS PROMOS PROMO PUB ADS
  OFFERS REMINDERS NUMBER THANKS THANK SUBSCRIPTION AND SORRY
  BITTE MICH ALLE ALLES JETZT NACHRICHTEN WERBUNG MIR SENDEN DANKE VON DIESE DIESER DIE DAMIT ENDLICH
  POR FAVOR TODO TODOS TODAS ME LOS LAS MENSAJES MENSAGENS GRACIAS OBRIGADO DARME DARSE DAR DE LA
  S IL VOUS TE PLAIT PLAIT MOI LES CES MESSAGES TOUT TOUS MERCI CA SUFFIT
  PER FAVORE TUTTO TUTTI MESSAGGI GRAZIE MI I
  ALSTUBLIEFT AUB MIJ ALLE BERICHTEN
  PROSZE MNIE SIE WIADOMOSCI`)
/**
 * Sentences that ask for no more messages. They must name the messages: "I don't want it any more" may refer to an
 * order.
 */
const WISHES = [
  // English
  ...wishes('TEXTS|MESSAGES|SMS|REMINDERS|ADS|SPAM|NOTIFICATIONS', [
    '\\b(DO NOT|DON ?T|NEVER) (WANT|NEED|SEND)( ME| US)?( TO (GET|RECEIVE))?( ANY| MORE| YOUR| THESE| OF| FURTHER| MARKETING)* OF_THEM\\b(?! TO (?!ME|US)| EXPLAIN)',
    '^(PLEASE )?(NEVER|DO NOT EVER|DON ?T EVER) (TEXT|MESSAGE|CONTACT|WRITE|CALL|BOTHER|SPAM)\\b',
    '\\bTOLD YOU TO STOP\\b',
    '^(PLEASE )?STOP (TEXTING|MESSAGING|CONTACTING|SPAMMING|BOTHERING|HARASSING|WRITING (TO )?ME)\\b',
    '^(PLEASE )?STOP SENDING (ME |US |THIS |THESE |YOUR |ALL )*(OF_THEM|CRAP|SHIT|STUFF|THIS|THESE|THEM)\\b',
    '^STOP (IT|THIS) (NOW|OR)\\b',
    '^(SORRY |HI |HELLO )*(I THINK )?(YOU (HAVE|VE GOT|GOT) |THIS IS |THAT S |IT S )?(THE |A )?WRONG (NUMBER|PERSON)( SORRY| THANKS)*$',
    '^(NO |THANKS |THANK YOU |SORRY )*(I M |I AM )?NOT INTERESTED( ANYMORE| THANKS| THANK YOU| SORRY)*$',
    '^(PLEASE )?(DELETE|REMOVE|ERASE|LOSE|FORGET) (ME|MY (PHONE |MOBILE )?(NUMBER|DATA))( PLEASE| FROM YOUR \\w+)*$',
  ]),
  // German
  ...wishes('SMS|NACHRICHTEN|WERBUNG|ERINNERUNGEN', [
    '^(BITTE )?KEINE (WEITEREN |SOLCHEN |IHRE |EURE )*OF_THEM( (MEHR|BITTE|SENDEN|SCHICKEN|SCHREIBEN|VON|IHNEN|EUCH|MIR|MICH|AN|DANKE))*$',
    '^(ICH )?(MOCHTE|WILL|WUNSCHE) (BITTE )?KEINE (WEITEREN |SOLCHEN |IHRE |EURE )*OF_THEM( (MEHR|BITTE|ERHALTEN|BEKOMMEN|VON|IHNEN|EUCH|HABEN))*$',
    '^(BITTE )?(SCHICK|SEND|SCHREIB)(E|T|ET|EN)?( SIE| MIR| UNS| BITTE)* KEINE (WEITEREN )?OF_THEM( MEHR| BITTE)*$',
    '^(BITTE )?(SCHREIB|KONTAKTIER|TEXTE|BELASTIG|NERV)\\w* (SIE |MICH |MIR |BITTE )*(NICHT MEHR|NIE WIEDER)( AN)?( BITTE)?$',
    '^(BITTE )?(MICH |MIR )?(BITTE )?NICHT MEHR (ANSCHREIBEN|KONTAKTIEREN|SCHREIBEN|BELASTIGEN|ANRUFEN|STOREN)$',
    '^ICH (MOCHTE|WILL) NICHT MEHR (KONTAKTIERT|ANGESCHRIEBEN|BELASTIGT) WERDEN$',
    '^(BITTE )?LOSCH(E|T|EN SIE)? (BITTE )?(MICH|MEINE (NUMMER|DATEN|HANDYNUMMER|TELEFONNUMMER))( BITTE)?$',
    '^(BITTE )?HOR(E|T|EN SIE)?( BITTE| ENDLICH)* AUF( DAMIT| MIR ZU SCHREIBEN)?$',
    '^(BITTE )?LASS(T|EN SIE)? MICH (BITTE |ENDLICH |JETZT )*IN RUHE$',
    '^(SIE HABEN |DU HAST |DAS IST )?(DIE |EINE )?FALSCHE NUMMER$',
    '^(ICH HABE |NEIN |DANKE )*KEIN INTERESSE( MEHR| DANKE)*$',
  ]),
  // Spanish
  ...wishes('SMS|MENSAJES?|WHATSAPPS?|PUBLICIDAD|AVISOS', [
    '^(POR FAVOR )?NO (ME |NOS )?(ESCRIBA|ENVIE|MANDE|CONTACTE|MOLESTE)[NS]?( (MAS|NADA|NUNCA|POR|FAVOR|OF_THEM))*$',
    '^(YA )?NO QUIERO (RECIBIR )?(MAS |SUS |ESTOS )*OF_THEM\\b(?! DE VOZ)',
    '^DEJ(A|E|EN|AD) DE (ENVIAR|ESCRIBIR|MANDAR|MOLESTAR|CONTACTAR)(ME|NOS)\\b',
    '^(TIENE |ES |ESTE ES )?(EL |UN )?NUMERO EQUIVOCADO$',
  ]),
  // French
  ...wishes('SMS|MESSAGES?|TEXTOS?|PUBS?|PUBLICITES?|NOTIFICATIONS?|RAPPELS?', [
    '^(JE )?NE (VEUX|SOUHAITE|DESIRE) (PLUS|PAS) (RECEVOIR )?(DE |VOS |CES |D )*OF_THEM\\b(?! VOCA)',
    '^NE M (ENVOYEZ|ENVOIE|ECRIVEZ|ECRIS|CONTACTEZ|CONTACTE) PLUS( (RIEN|DE|SVP|MERCI|OF_THEM))*$',
    '^ARRETE(R|Z)? (DE |D )((M )?(ECRIRE|CONTACTER|HARCELER|DERANGER)|M ENVOYER|ENVOYER (DES |VOS |CES )?OF_THEM)\\b',
    '^(VOUS AVEZ |C EST )?(UN |LE )?(FAUX|MAUVAIS) NUMERO$',
    '^SUPPRIME(R|Z)? MON NUMERO( SVP| MERCI)*$',
  ]),
  // Italian
  ...wishes('SMS|MESSAGGI|MESSAGGIO|PUBBLICITA|NOTIFICHE', [
    '^(PER FAVORE )?NON (MI )?(SCRIVE|MANDA|CONTATTA|INVIA|DISTURBA)TE(MI)?( (PIU|ALTRI|NULLA|NIENTE|OF_THEM))*$',
    '^NON VOGLIO (PIU )?(RICEVERE )?(PIU |I |ALTRI |VOSTRI )*OF_THEM\\b(?! VOCA)',
    '^(AVETE |HA |E )?(IL )?NUMERO SBAGLIATO$',
  ]),
  // Portuguese
  ...wishes('SMS|MENSAGEM|MENSAGENS|PROPAGANDA|AVISOS', [
    '^(POR FAVOR )?NAO (ME )?(ENVIE|MANDE|ESCREVA|CONTATE|CONTACTE|PERTURBE)M?( (MAIS|NADA|OF_THEM))*$',
    '^(EU )?NAO QUERO (MAIS )?(RECEBER )?(MAIS |ESSAS |SUAS )*OF_THEM\\b(?! DE VOZ)',
    '^(POR FAVOR )?PAREM? DE (ME )?(MANDAR|ENVIAR|ESCREVER)( ISSO| OF_THEM)?$',
    '^(ESTE E |E )?(O )?NUMERO ERRADO$',
  ]),
  // Dutch
  ...wishes('SMS|SMSJES|BERICHTEN|BERICHTJES|RECLAME|APPJES', [
    '^GEEN (\\w+ )?OF_THEM( (MEER|AUB|ALSTUBLIEFT|STUREN|VAN|JULLIE|U))*$',
    '^IK (WIL|WENS) GEEN (\\w+ )?OF_THEM( (MEER|AUB|ONTVANGEN|KRIJGEN|VAN|JULLIE|U))*$',
    '^STUUR( MIJ| ME| ONS)? GEEN (\\w+ )?OF_THEM( MEER| AUB)*$',
    '^(MIJ |ME )?NIET MEER (SCHRIJVEN|APPEN|BERICHTEN|SMSEN|BELLEN|STUREN)( AUB| ALSTUBLIEFT)?$',
    '^STOP MET (STUREN|APPEN|SMSEN|BERICHTEN)\\b',
    '^(DIT IS |U HEEFT |JE HEBT )?(HET )?VERKEERDE? NUMMER$',
  ]),
  // Polish
  ...wishes('SMS|SMSOW|WIADOMOSCI|REKLAM', [
    '^(PROSZE )?(JUZ )?NIE (PISZ|PISZCIE|WYSYLAJ|WYSYLAJCIE|WYSYLAC|KONTAKTUJCIE)( (SIE|DO|MNIE|MI|WIECEJ|JUZ|OF_THEM))*$',
    '^NIE CHCE (\\w+ ){0,2}OF_THEM\\b',
  ]),
]

function wishes(messages: string, sentences: readonly string[]): RegExp[] {
  return sentences.map((sentence) => new RegExp(sentence.replace('OF_THEM', `(?:${messages})`)))
}

const STOP_SIGNS = /^(?:[🛑⛔🚫]\uFE0F?|[\s!])+$/u
const START = ['START', 'UNSTOP']
const HELP = ['HELP', 'INFO', 'HILFE']
/** Replies to an opt-in request. */
const YES = ['YES', 'JA']

/**
 * Returns the keyword of a reply, ignoring case, punctuation and spaces. START, HELP and YES must be the whole text.
 * STOP may be a sentence of its own or among filler words ("Stop texting me, please"), but "I cannot stop thinking of
 * it" is no STOP. Other sentences that ask for no more messages count as STOP too.
 */
export function parseKeyword(text: string): Keyword | null {
  const read = text.slice(0, LONGEST_READ)
  if (STOP_SIGNS.test(read) && /[🛑⛔🚫]/u.test(read)) return 'stop'
  const parts = toPlainLetters(read)
    .split(/([\n\r.!?;:,()«»"]+|\s[-–—]+\s)/)
    .map((part, place, all) => ({ sentence: joinLetters(part), isQuestion: all[place + 1]?.includes('?') ?? false }))
    .filter(({ sentence }) => sentence !== '')
  const sentences = parts.map(({ sentence }) => sentence)
  if (parts.some((part) => meansStop(part) || (!part.isQuestion && isWish(part.sentence)))) return 'stop'
  const [word] = sentences
  if (word === undefined || sentences.length > 1) return null
  if (START.includes(word)) return 'start'
  if (YES.includes(word)) return 'yes'
  return HELP.includes(word) ? 'help' : null
}

/** Bounds the regular expressions; more than ten SMS segments. */
const LONGEST_READ = 2_000
const MAX_TERMS = 10
const MAX_SENTENCE_TERMS = 14

/** Upper case without accents. */
const toPlainLetters = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().replaceAll('Ł', 'L')

interface Part {
  sentence: string
  isQuestion: boolean
}

/** Splits into words, and joins spaced letters such as "S T O P". */
function joinLetters(part: string): string {
  const terms = part.replace(/[^\p{L}]+/gu, ' ').trim()
  return /^(\p{L} ){2,}\p{L}$/u.test(terms) ? terms.replaceAll(' ', '') : terms
}

const isWish = (sentence: string) =>
  sentence.split(' ').length <= MAX_SENTENCE_TERMS &&
  !/\bMISS\b/.test(sentence) &&
  WISHES.some((wish) => wish.test(sentence))

function meansStop({ sentence, isQuestion }: Part): boolean {
  const phrase = isQuestion ? undefined : STOP_PHRASES.find((each) => ` ${sentence} `.includes(` ${each} `))
  const terms = (phrase ? ` ${sentence} `.replace(` ${phrase} `, ' ') : sentence).split(' ').filter(Boolean)
  if (terms.length > MAX_TERMS) return false
  const isMeant = phrase !== undefined || terms.some((word) => STOP.has(word))
  return isMeant && terms.every((word) => STOP.has(word) || FILLERS.has(word))
}

function splitTerms(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean))
}
