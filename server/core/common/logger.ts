// JSON logs: the message is `noun.verb`, everything else is a field. Never log bodies, tokens, phones or addresses.

import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Fields that could hold a secret or a shopper's contact by accident, at the top level or one below. */
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
