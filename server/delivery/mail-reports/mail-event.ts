import { AppError } from '../../core/common/public.ts'
import type { MailReport } from './mail-reports.ts'

// Types and helpers shared by the parsers of all mail providers. Pure.

export interface MailEventCall {
  rawBody: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Secret that verifies the reports (MAIL_EVENTS_SECRET). */
  secret: string
  now: Date
}

/** How a provider identifies the mail of a report. */
export interface MailName {
  /** Our own mark, or the Message-ID with or without brackets. */
  mark?: string | null | undefined
  returnPath?: string | null | undefined
}

export type ProviderReport = Omit<MailReport, 'messageId' | 'source'> & { about: MailName }

/** Parses a call. Throws `createForgedError()` unless it comes from the provider. */
export type ProviderReader = (call: MailEventCall) => Promise<ProviderReport[]> | ProviderReport[]

export const createForgedError = () => new AppError('forbidden', 'Not accepted.')

export const getHeader = ({ headers }: MailEventCall, name: string): string => String(headers[name] ?? '')

export function readJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    throw new AppError('invalid', 'Not JSON.')
  }
}
