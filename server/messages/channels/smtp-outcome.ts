// Maps an SMTP reply, or its absence, to an outcome (engine, "Message states"). Pure.
import { type BounceKind, classifyBounce, isRateLimit, isTextDecisive, joinLines, parseStatus } from './bounce-rules.ts'
import type { Outcome } from './channel.ts'

/** The stage at which a send failed. */
export type SmtpStage = 'connect' | 'sign_in' | 'envelope' | 'body'

export interface SmtpFailure {
  stage: SmtpStage
  /** True once the final dot may have been sent: from then on, silence proves nothing. */
  isBodySent: boolean
  /** nodemailer's code, such as ECONNECTION or ETIMEDOUT; null when only the reply matters. */
  code: string | null
  /** The system's code below it, such as ECONNREFUSED. */
  systemCode: string | null
  /** The SMTP command that the reply belongs to: MAIL FROM, RCPT TO, DATA. */
  command: string | null
  /** The server's reply, or a description of the connection error. */
  response: string
  replyCode: number | null
}

/** Replies to MAIL or RCPT that mean "sign in first": our fault, not the message's. */
const SIGN_IN_REPLIES = [530, 534, 535, 538]

/**
 * Returns `retry` only with proof that the message was not accepted, and `unknown` after silence behind the final dot.
 */
export function mapFailure(failure: SmtpFailure): Outcome {
  const { stage, replyCode } = failure
  const response = joinLines(failure.response)
  if (replyCode === null || replyCode < 400 || replyCode > 599) return mapSilence(failure, response)
  if (replyCode < 500) {
    const outcome = retry(`smtp_${replyCode}`, response, parseDelay(response))
    return stage === 'envelope' || stage === 'body' ? { ...outcome, isOfMessage: true } : outcome
  }
  if (stage === 'sign_in' || SIGN_IN_REPLIES.includes(replyCode)) return retry('sign_in_failed', response)
  // A refusal of the whole session (greeting, EHLO) or "bad sequence" is not about this message.
  if (stage === 'connect' || replyCode === 503) return retry(`smtp_${replyCode}`, response)
  const refusal = classifyRefusal(replyCode, response, failure.command)
  // Some servers send a permanent code for a temporary problem.
  if (refusal === 'soft' && isRateLimit(response)) return { ...retry(`smtp_${replyCode}`, response), isOfMessage: true }
  return { kind: 'rejected', reason: `smtp_${replyCode}`, response, isRecipientFault: refusal === 'hard' }
}

function mapSilence(failure: SmtpFailure, response: string): Outcome {
  const reason = explainSilence(failure)
  if (failure.isBodySent) return { kind: 'unknown', reason: `${reason}_after_data`, response }
  return retry(reason, response)
}

function explainSilence({ stage, code, systemCode, replyCode }: SmtpFailure): string {
  if (code === 'ETIMEDOUT' || systemCode === 'ETIMEDOUT') return 'timeout'
  if (systemCode === 'ECONNREFUSED') return 'connection_refused'
  if (code === 'EDNS') return 'dns_failed'
  if (code === 'ETLS' || systemCode?.includes('CERT') || systemCode?.startsWith('ERR_TLS')) return 'tls_failed'
  if (stage === 'sign_in') return 'sign_in_failed'
  if (code === 'EPROTOCOL' || replyCode !== null) return 'unclear_answer'
  return 'connection_lost'
}

function retry(reason: string, response: string, retryAfterMs?: number): Extract<Outcome, { kind: 'retry' }> {
  return retryAfterMs === undefined
    ? { kind: 'retry', reason, response }
    : { kind: 'retry', reason, response, retryAfterMs }
}

/**
 * Decides whether the address is bad (a hard bounce, which suppresses it), by the same rules as for returned mail
 * (`bounce-rules.ts`). Without a reason in code or text, the address is to blame.
 */
function classifyRefusal(replyCode: number, response: string, command: string | null): BounceKind {
  if (![550, 551, 552, 553, 554, 556].includes(replyCode) || command === 'MAIL FROM') return 'refused'
  const status = parseStatus(response)
  const isPrecise = status !== null && !status.endsWith('.0.0')
  const kind = classifyBounce(isPrecise ? status : null, response)
  if (isPrecise || isTextDecisive(response)) return kind
  return command === 'RCPT TO' && replyCode !== 554 ? 'hard' : 'refused'
}

/** A greylisting server often names a waiting time; accepted between a second and an hour. */
function parseDelay(response: string): number | undefined {
  const match = /(\d{1,5})\s*(s\b|sec|min)/i.exec(response)
  if (!match) return undefined
  const delayMs = Number(match[1]) * (match[2]?.toLowerCase() === 'min' ? 60_000 : 1_000)
  return delayMs >= 1_000 && delayMs <= 3_600_000 ? delayMs : undefined
}
