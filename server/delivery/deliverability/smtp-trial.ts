import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { joinLines, type OutgoingEmail, type SmtpFailure } from '../../messages/channels/public.ts'
import {
  buildRawError,
  composeMessage,
  findSendProblem,
  type MailHeaders,
  openConnection,
  quit,
  readSmtpUrl,
  SmtpError,
  type SmtpSettings,
  toSmtpFailure,
} from '../email/public.ts'

// Sends one test mail over a new connection and reports each step with the server's reply.

export const trialSteps = ['connect', 'encrypt', 'sign_in', 'mail_from', 'rcpt_to', 'accept'] as const
export type TrialStepName = (typeof trialSteps)[number]

export interface TrialStep {
  step: TrialStepName
  /** `passed_over`: not required or not offered · `not_reached`: an earlier step failed. */
  state: 'done' | 'failed' | 'passed_over' | 'not_reached'
  /** The server's reply; null: none. */
  answer: string | null
}

export interface Trial {
  isAccepted: boolean
  host: string
  port: number
  steps: TrialStep[]
  /** Why it failed; null: the mail was accepted. */
  failure: SmtpFailure | null
}

export interface TrialLimits {
  connectMs: number
  sendMs: number
}

const LIMITS: TrialLimits = { connectMs: 15_000, sendMs: 30_000 }

/** Sends the test mail. Never throws because of the server. */
export async function trySmtp(
  server: string | SmtpSettings,
  mail: OutgoingEmail,
  { mailHeaders, ...overrides }: Partial<TrialLimits> & { mailHeaders?: MailHeaders | undefined } = {},
): Promise<Trial> {
  const limits = { ...LIMITS, ...overrides }
  const settings = typeof server === 'string' ? readSmtpUrl(server) : server
  const answers: Answers = new Map()
  let failure: { step: TrialStepName; answer: string; failure: SmtpFailure } | null = null
  try {
    const connection = await openConnection(settings, limits.connectMs, listener(settings, answers))
    try {
      await sendOver(connection, mail, limits.sendMs, mailHeaders)
    } finally {
      quit(connection)
    }
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    failure = { step: failedStep(error), answer: joinLines(error.message), failure: error.failure }
  }
  const steps = trialSteps.map((step) => describe(step, settings, answers, failure))
  const { host, port } = settings
  return { isAccepted: failure === null, host, port, steps, failure: failure?.failure ?? null }
}

type Answers = Map<TrialStepName, string>

/** Assigns each reply to the oldest unanswered command. The greeting comes first, the final dot last. */
function listener(settings: SmtpSettings, answers: Answers) {
  const steps: TrialStepName[] = ['connect']
  return (side: 'client' | 'server', text: string) => {
    if (side === 'client') {
      steps.push(findTrialStep(text))
      return
    }
    const step = steps.shift() ?? 'accept'
    // The reply to EHLO only lists capabilities, and so does the one after TLS starts.
    if (step === 'connect' && answers.has('connect')) return
    if (step === 'encrypt' && settings.isTlsFromStart) return
    answers.set(step, joinLines(text))
  }
}

function findTrialStep(command: string): TrialStepName {
  if (/^(EHLO|HELO|LHLO)\b/i.test(command)) return 'connect'
  if (/^STARTTLS/i.test(command)) return 'encrypt'
  if (/^MAIL FROM/i.test(command)) return 'mail_from'
  if (/^RCPT TO/i.test(command)) return 'rcpt_to'
  if (/^(DATA|RSET|QUIT)/i.test(command)) return 'accept'
  // AUTH and its continuation lines.
  return 'sign_in'
}

async function sendOver(
  connection: SMTPConnection,
  mail: OutgoingEmail,
  limitMs: number,
  mailHeaders: MailHeaders | undefined,
): Promise<void> {
  const refusal = findSendProblem(mail)
  if (refusal) throw toSmtpError(buildRawError('EENVELOPE', refusal.response))
  const { from, to, raw } = await composeMessage(mail, mailHeaders)
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(toSmtpError(buildRawError('ETIMEDOUT', 'The server did not answer in time')))
      connection.close()
    }, limitMs)
    const lost = () => done(buildRawError('ECONNECTION', 'The server closed the connection'))
    const done = (error: Parameters<typeof toSmtpFailure>[0] | null) => {
      clearTimeout(timer)
      if (error) reject(toSmtpError(error))
      else resolve()
    }
    connection.once('end', () => setImmediate(lost))
    connection.send({ from, to: [to], size: raw.length }, raw, done)
  })
}

const toSmtpError = (error: Parameters<typeof toSmtpFailure>[0]) => new SmtpError(toSmtpFailure(error, 'envelope'))

function failedStep({ failure }: SmtpError): TrialStepName {
  const { stage, code, systemCode, command } = failure
  if (code === 'ETLS' || systemCode?.includes('CERT') || systemCode?.startsWith('ERR_')) return 'encrypt'
  if (stage === 'connect') return command === 'STARTTLS' ? 'encrypt' : 'connect'
  if (stage === 'sign_in') return 'sign_in'
  if (command === 'RCPT TO') return 'rcpt_to'
  return command === 'DATA' ? 'accept' : 'mail_from'
}

function describe(
  step: TrialStepName,
  settings: SmtpSettings,
  answers: Answers,
  failure: { step: TrialStepName; answer: string } | null,
): TrialStep {
  if (failure?.step === step) return { step, state: 'failed', answer: failure.answer }
  if (failure && trialSteps.indexOf(step) > trialSteps.indexOf(failure.step)) {
    return { step, state: 'not_reached', answer: null }
  }
  const answer = answers.get(step) ?? null
  const isDone = step === 'encrypt' ? settings.isTlsFromStart || answer !== null : step !== 'sign_in' || settings.auth
  return { step, state: isDone ? 'done' : 'passed_over', answer }
}
