import { isGermanSpeaking } from '../channels/phone.ts'

// What a person means who answers a text message (C4). Pure.

export type Keyword = 'stop' | 'start' | 'help' | 'yes'

/** English, German, Spanish, French, Italian, Portuguese, Dutch and Polish, without accents. */
const STOP = wordsOf(`
  STOP STOPALL QUIT END REVOKE OPTOUT CANCEL UNSUBSCRIBE REMOVE UNSUB
  STOPP STOPPT STOPPEN ENDE ABMELDEN ABBESTELLEN ABMELDUNG AUSTRAGEN AUFHOREN
  BAJA ALTO BASTA PARAR PARE CANCELAR DETENER DESUSCRIBIR DESUSCRIBIRME DESUSCRIBIRSE
  ARRET ARRETE ARRETER ARRETEZ DESABONNER DESINSCRIRE DESINSCRIPTION DESABONNEMENT
  FERMA FERMATE DISISCRIVI DISISCRIVIMI CANCELLA CANCELLAMI CANCELLATEMI ANNULLA SAIR REMOVER DESCADASTRAR AFMELDEN UITSCHRIJVEN
  WYPISZ WYPISZCIE WYPISUJE REZYGNUJE ZATRZYMAJ`)
/** Said of them together. */
const STOP_PHRASES = [
  ...['OPT OUT', 'OPT ME OUT', 'TAKE ME OFF', 'NO MORE', 'DO NOT TEXT', 'DONT TEXT', 'DON T TEXT'],
  ...['DO NOT CONTACT', 'DONT CONTACT', 'DON T CONTACT', 'DO NOT MESSAGE', 'DONT MESSAGE', 'DON T MESSAGE'],
  ...['NO MAS', 'NICHT MEHR', 'KEINE WEITEREN', 'PLUS DE', 'NON PIU', 'NAO MAIS', 'CHEGA DE'],
]
/** Beside such a word they change nothing of what is meant. */
const FILLERS = wordsOf(`
  PLEASE PLS PLZ ALL NOW IT ME US MY THIS THESE THOSE THE YOUR YOU TO I WANT WOULD LIKE CAN COULD FROM OFF LIST LISTS AGAIN ANYMORE HELLO HI
  TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING SMS WHATSAPP SENDING SEND CONTACTING SPAM SPAMMING MARKETING PROMOTIONS PROMOS PROMO PUB ADS
  OFFERS REMINDERS NUMBER THANKS THANK SUBSCRIPTION AND
  BITTE MICH ALLE ALLES JETZT NACHRICHTEN WERBUNG MIR SENDEN DANKE VON DIESE DIESER DIE DAMIT
  POR FAVOR TODO TODOS TODAS ME LOS LAS MENSAJES MENSAGENS GRACIAS OBRIGADO DARME DARSE DAR DE LA
  S IL VOUS TE PLAIT PLAIT MOI LES CES MESSAGES TOUT TOUS MERCI
  PER FAVORE TUTTO TUTTI MESSAGGI GRAZIE MI I
  ALSTUBLIEFT AUB MIJ ALLE BERICHTEN
  PROSZE MNIE SIE WIADOMOSCI`)
/** What a person says who wants no more of it. Whatever else the sentence says, it is meant. At most a few words are between two of them. */
const WISHES = [
  // English
  /\b(LEAVE ME ALONE|GO AWAY|FUCK OFF|PISS OFF|LOSE MY NUMBER|WRONG NUMBER|WRONG PERSON|NOT INTERESTED)\b/,
  /\b(DELETE|REMOVE|ERASE|FORGET) (ME|MY (PHONE )?(NUMBER|DATA|CONTACT))\b/,
  /\bDON ?T WANT (\w+ ){0,4}(TEXTS?|MESSAGES|SMS|REMINDERS|ADS|SPAM|OFFERS)\b/,
  /^STOP (SENDING|TEXTING|MESSAGING|CONTACTING|SPAMMING|BOTHERING|HARASSING|WRITING|IT|THIS|THESE)\b/,
  // German
  /\bKEINE (\w+ ){0,2}(SMS|NACHRICHT|NACHRICHTEN|WERBUNG|ERINNERUNGEN|MAILS) (\w+ ){0,2}MEHR\b/,
  /\bBITTE KEINE (\w+ ){0,2}(SMS|NACHRICHT|NACHRICHTEN|WERBUNG|ERINNERUNGEN|MAILS)\b/,
  /\bNICHT MEHR (\w+ ){0,2}(AN|KONTAKT|SCHREIB|BELAST|ERINNER)\w*/,
  /\bLASS(T|EN SIE)? MICH (BITTE |ENDLICH )?IN RUHE\b/,
  /\bHOR(T|EN SIE)? (\w+ ){0,2}AUF\b/,
  /\bLOSCH(E|T|EN SIE)? (\w+ ){0,2}MEINE (NUMMER|DATEN|HANDYNUMMER|TELEFONNUMMER)\b/,
  /\b(FALSCHE NUMMER|KEIN INTERESSE)\b/,
  // Spanish
  /\bNO (ME )?(ESCRIB|ENVI|MAND|CONTACT|MOLEST)\w* (\w+ ){0,2}MAS\b/,
  /\bNO QUIERO (\w+ ){0,2}MAS\b/,
  /\bDEJ(A|E|EN) DE (ENVIAR|ESCRIBIR|MANDAR|MOLESTAR|CONTACTAR)\w*/,
  /\bNUMERO EQUIVOCADO\b/,
  // French
  /\bNE (VEUX|SOUHAITE|DESIRE) PLUS\b/,
  /\bNE M (ENVOYE|ENVOIE|ECRIVE|ECRI|CONTACTE)\w* PLUS\b/,
  /\bARRETE(R|Z)? (DE |D )(M )?(ENVOYER|ECRIRE|CONTACTER|HARCELER|DERANGER)\b/,
  /\b(LAISSEZ MOI TRANQUILLE|FAUX NUMERO|MAUVAIS NUMERO|SUPPRIMEZ MON NUMERO)\b/,
  // Italian
  /\bNON (MI )?(SCRIV|MAND|CONTATT|INVI)\w* (\w+ ){0,2}PIU\b/,
  /\bNON VOGLIO PIU\b/,
  /\b(NUMERO SBAGLIATO|LASCIATEMI IN PACE)\b/,
  // Portuguese
  /\bNAO QUERO MAIS\b/,
  /\bNAO ME (ENVI|MAND|ESCREV|CONTAT)\w* (\w+ ){0,2}MAIS\b/,
  /\bPAREM? DE (ENVIAR|MANDAR|ESCREVER|ME)\b/,
  /\bNUMERO ERRADO\b/,
  // Dutch
  /\bGEEN (\w+ ){0,2}(SMS|BERICHTEN|BERICHTJES|RECLAME) (\w+ ){0,2}MEER\b/,
  /\bNIET MEER (SCHRIJVEN|APPEN|STUREN|BERICHTEN|SMSEN)\b/,
  /\b(LAAT (ME|MIJ) MET RUST|VERKEERD NUMMER)\b/,
  // Polish
  /\bNIE (PISZ|WYSYLA|CHCE|KONTAKTUJ)\w* (\w+ ){0,3}WIECEJ\b/,
  /\bNIE WIECEJ\b/,
]
const STOP_SIGNS = /^(?:[🛑⛔🚫]\uFE0F?|[\s!])+$/u
const START = ['START', 'UNSTOP']
const HELP = ['HELP', 'INFO', 'HILFE']
/** The answer to the question whether a consent was meant; to nothing else. */
const YES = ['YES', 'JA']

/**
 * What is meant, in any case, with signs and spaces around it left aside. START, HELP and YES must be all there is. STOP may stand in a
 * sentence of its own, or among words that change nothing ("Stop texting me, please"); "I cannot stop thinking of it" is something else.
 * Who says in other words that they want no more of it is understood as well: a stop that was not meant is undone by START, one that was
 * not heard is a message too many.
 */
export function keywordOf(text: string): Keyword | null {
  const read = text.slice(0, LONGEST_READ)
  if (STOP_SIGNS.test(read) && /[🛑⛔🚫]/u.test(read)) return 'stop'
  const sentences = plain(read)
    .split(/[\n\r.!?;:,()«»"]+|\s[-–—]+\s/)
    .map((sentence) => joined(sentence.replace(/[^\p{L}]+/gu, ' ').trim()))
    .filter(Boolean)
  if (sentences.some((sentence) => meansStop(sentence) || isWish(sentence))) return 'stop'
  const [word] = sentences
  if (word === undefined || sentences.length > 1) return null
  if (START.includes(word)) return 'start'
  if (YES.includes(word)) return 'yes'
  return HELP.includes(word) ? 'help' : null
}

/** More than an SMS of ten segments. */
const LONGEST_READ = 2_000
const MOST_WORDS = 10
const MOST_WORDS_OF_A_WISH = 14

/** Upper case without accents. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().replaceAll('Ł', 'L')

/** "S T O P" */
const joined = (sentence: string) => (/^(\p{L} ){2,}\p{L}$/u.test(sentence) ? sentence.replaceAll(' ', '') : sentence)

const isWish = (sentence: string) =>
  sentence.split(' ').length <= MOST_WORDS_OF_A_WISH && WISHES.some((wish) => wish.test(sentence))

function meansStop(sentence: string): boolean {
  const phrase = STOP_PHRASES.find((each) => ` ${sentence} `.includes(` ${each} `))
  const words = (phrase ? ` ${sentence} `.replace(` ${phrase} `, ' ') : sentence).split(' ').filter(Boolean)
  if (words.length > MOST_WORDS) return false
  const isMeant = phrase !== undefined || words.some((word) => STOP.has(word))
  return isMeant && words.every((word) => STOP.has(word) || FILLERS.has(word))
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean))
}

export interface Answering {
  name: string
  /** Where questions go. */
  help: string
  /** Of the number that wrote; null: not known. */
  country: string | null
}

/** What is answered, naming who writes, in the language the question for consent was asked in. */
export function keywordAnswer(keyword: Keyword, from: Answering): string {
  return `${from.name}: ${isGermanSpeaking(from.country) ? german(keyword, from) : english(keyword, from)}`
}

function english(keyword: Keyword, { help }: Answering): string {
  switch (keyword) {
    case 'stop':
      return 'you will get no more messages from us here. Reply START to get them again.'
    case 'start':
      return 'you get our messages again. Reply STOP to stop them.'
    case 'yes':
      return 'thank you, that is confirmed. Reply STOP at any time to stop.'
    case 'help':
      return `reminders of carts you left. Questions: ${help}. Reply STOP to stop.`
  }
}

function german(keyword: Keyword, { help }: Answering): string {
  switch (keyword) {
    case 'stop':
      return 'Sie erhalten hier keine Nachrichten mehr von uns. Mit START erhalten Sie sie wieder.'
    case 'start':
      return 'Sie erhalten unsere Nachrichten wieder. STOP beendet.'
    case 'yes':
      return 'Danke, das ist bestätigt. STOP beendet jederzeit.'
    case 'help':
      return `Erinnerungen an Ihren Warenkorb. Fragen: ${help}. STOP beendet.`
  }
}
