import { isGermanSpeaking } from '../channels/phone.ts'

// What a person means who answers a text message (C4). Pure.

export type Keyword = 'stop' | 'start' | 'help' | 'yes'

/** English, German, Spanish, French, Italian, Portuguese and Dutch, without accents. */
const STOP = wordsOf(`
  STOP STOPALL QUIT END REVOKE OPTOUT CANCEL UNSUBSCRIBE REMOVE UNSUB STOPP ENDE ABMELDEN ABBESTELLEN ABMELDUNG AUSTRAGEN
  BAJA ALTO BASTA PARAR PARE CANCELAR DETENER ARRET ARRETE ARRETER ARRETEZ DESABONNER DESINSCRIRE DESINSCRIPTION DESABONNEMENT
  FERMA FERMATE DISISCRIVI DISISCRIVIMI CANCELLAMI ANNULLA SAIR REMOVER DESCADASTRAR STOPPEN AFMELDEN UITSCHRIJVEN`)
/** Said of them together. */
const STOP_PHRASES = [
  ...['OPT OUT', 'OPT ME OUT', 'TAKE ME OFF', 'NO MORE', 'LEAVE ME ALONE', 'DO NOT TEXT', 'DONT TEXT', 'DON T TEXT'],
  ...['DO NOT CONTACT', 'DONT CONTACT', 'DON T CONTACT', 'DO NOT MESSAGE', 'DONT MESSAGE', 'DON T MESSAGE'],
  ...['NO MAS', 'NICHT MEHR', 'KEINE WEITEREN', 'PLUS DE', 'NON PIU', 'NAO MAIS', 'CHEGA DE'],
]
/** Beside such a word they change nothing of what is meant. */
const FILLERS = wordsOf(`
  PLEASE PLS PLZ ALL NOW IT ME US MY THIS THESE THOSE THE YOUR YOU TO I WANT WOULD LIKE CAN COULD FROM OFF LIST LISTS AGAIN ANYMORE HELLO HI
  TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING SMS WHATSAPP SENDING SEND CONTACTING SPAM SPAMMING MARKETING PROMOTIONS PROMOS ADS OFFERS
  REMINDERS NUMBER THANKS THANK SUBSCRIPTION AND
  BITTE MICH ALLE ALLES JETZT NACHRICHTEN WERBUNG MIR SENDEN DANKE VON DIESE DIESER
  POR FAVOR TODO TODOS TODAS ME LOS LAS MENSAJES MENSAGENS GRACIAS OBRIGADO DARME DE LA
  S IL VOUS TE PLAIT PLAIT MOI LES CES MESSAGES TOUT TOUS MERCI
  PER FAVORE TUTTO TUTTI MESSAGGI GRAZIE MI I
  ALSTUBLIEFT AUB MIJ ALLE BERICHTEN`)
const START = ['START', 'UNSTOP']
const HELP = ['HELP', 'INFO', 'HILFE']
/** The answer to the question whether a consent was meant; to nothing else. */
const YES = ['YES', 'JA']

/**
 * What is meant, in any case, with signs and spaces around it left aside. START, HELP and YES must be all there is. STOP may stand in a
 * sentence of its own, or among words that change nothing ("Stop texting me, please"); "I cannot stop thinking of it" is something else.
 */
export function keywordOf(text: string): Keyword | null {
  const sentences = plain(text.slice(0, LONGEST_READ))
    .split(/[\n\r.!?;:,()«»"]+/)
    .map((sentence) => sentence.replace(/[^\p{L}]+/gu, ' ').trim())
    .filter(Boolean)
  if (sentences.some(meansStop)) return 'stop'
  const [word] = sentences
  if (word === undefined || sentences.length > 1) return null
  if (START.includes(word)) return 'start'
  if (YES.includes(word)) return 'yes'
  return HELP.includes(word) ? 'help' : null
}

/** More than an SMS of ten segments. */
const LONGEST_READ = 2_000
const MOST_WORDS = 10

/** Upper case without accents. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase()

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
