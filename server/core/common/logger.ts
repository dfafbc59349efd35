// JSON logs: the message is `noun.verb`, everything else is a field. Bodies, tokens, phones and addresses never are.

import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Names under which a secret or a shopper's contact could slip in by accident, at the top or one level down. */
const NEVER_LOGGED = [
  'password',
  'token',
  'secret',
  'authorization',
  'cookie',
  'email',
  'phone',
  'body',
  'consumerKey',
  'consumerSecret',
]

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: NEVER_LOGGED.flatMap((name) => [name, `*.${name}`, `*.headers.${name}`]), censor: '[removed]' },
  }
  return destination ? pino(options, destination) : pino(options)
}
