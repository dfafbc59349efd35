// What a person means who answers a text message (C4). Pure.

export type Keyword = 'stop' | 'start' | 'help' | 'yes'

const STOP = ['STOP', 'STOPALL', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'OPTOUT', 'OPT-OUT', 'CANCEL', 'UNSUBSCRIBE']
const START = ['START', 'UNSTOP']
const HELP = ['HELP', 'INFO']
/** The answer to the question whether a consent was meant; to nothing else. */
const YES = ['YES', 'JA']

/**
 * The word must be all there is, in any case, with signs and spaces around it left aside: "Stop." and "« stop »" are meant,
 * "I cannot stop thinking of it" is not.
 */
export function keywordOf(text: string): Keyword | null {
  const word = text
    .normalize('NFKC')
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/\s+/g, ' ')
    .toUpperCase()
  if (STOP.includes(word)) return 'stop'
  if (START.includes(word)) return 'start'
  if (YES.includes(word)) return 'yes'
  return HELP.includes(word) ? 'help' : null
}

/** What is answered, naming who writes. */
export function keywordAnswer(keyword: Keyword, from: { name: string; help: string }): string {
  switch (keyword) {
    case 'stop':
      return `${from.name}: you will get no more messages from us here. Reply START to get them again.`
    case 'start':
      return `${from.name}: you get our messages again. Reply STOP to stop them.`
    case 'yes':
      return `${from.name}: thank you, that is confirmed. Reply STOP at any time to stop.`
    case 'help':
      return `${from.name}: reminders of carts you left. Questions: ${from.help}. Reply STOP to stop.`
  }
}
