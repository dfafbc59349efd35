import { isGermanSpeaking } from '../channels/phone.ts'

// What a person means who answers a text message (C4). Pure.

export type Keyword = 'stop' | 'start' | 'help' | 'yes'

const STOP = [
  ...['STOP', 'STOPALL', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'OPTOUT', 'OPT-OUT', 'CANCEL', 'UNSUBSCRIBE'],
  ...['STOPP', 'ENDE', 'ABMELDEN', 'ABBESTELLEN'],
]
const START = ['START', 'UNSTOP']
const HELP = ['HELP', 'INFO', 'HILFE']
/** The answer to the question whether a consent was meant; to nothing else. */
const YES = ['YES', 'JA']

/**
 * The word must be all there is, in any case, with signs and spaces around it left aside: "Stop." and "« stop »" are meant,
 * "I cannot stop thinking of it" is not.
 */
export function keywordOf(text: string): Keyword | null {
  const bare = withoutSigns(text.slice(0, LONGEST_READ))
  if (bare.length > LONGEST_KEYWORD) return null
  const word = bare.normalize('NFKC').replace(/\s+/g, ' ').toUpperCase()
  if (STOP.includes(word)) return 'stop'
  if (START.includes(word)) return 'start'
  if (YES.includes(word)) return 'yes'
  return HELP.includes(word) ? 'help' : null
}

/** More than an SMS of ten segments, and a keyword with any signs around it. */
const LONGEST_READ = 2_000
const LONGEST_KEYWORD = 100

/** From its first letter to its last. */
function withoutSigns(text: string): string {
  const characters = [...text]
  const isLetter = (character: string) => /\p{L}/u.test(character.normalize('NFKC'))
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('')
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
