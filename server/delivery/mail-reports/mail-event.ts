import { AppError } from '../../core/common/errors.ts'
import type { MailReport } from './mail-reports.ts'

// What all mail providers' reports have in common. Pure.

export interface MailEventCall {
  rawBody: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** What the reports are checked with (MAIL_EVENTS_SECRET). */
  secret: string
  now: Date
}

/** How a provider names the mail a report is about. */
export interface MailName {
  /** Our own mark, or the Message-ID with or without brackets. */
  mark?: string | null | undefined
  returnPath?: string | null | undefined
}

export type ProviderReport = Omit<MailReport, 'messageId' | 'source'> & { about: MailName }

/** Throws `forged()` unless the provider said it. */
export type ProviderReader = (call: MailEventCall) => Promise<ProviderReport[]> | ProviderReport[]

export const forged = () => new AppError('forbidden', 'Not accepted.')

export const headerOf = ({ headers }: MailEventCall, name: string): string => String(headers[name] ?? '')

export function readJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    throw new AppError('invalid', 'Not JSON.')
  }
}
