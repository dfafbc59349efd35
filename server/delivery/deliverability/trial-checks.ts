import type { Check } from '../../../shared/core/checks.ts'
import { isLoopbackHost, type MailSecurity, type MailServerView } from '../../../shared/delivery/mail-server.ts'
import { explainServerFailure } from '../email/public.ts'
import { type CheckText, check } from './sender-checks.ts'
import type { Trial, TrialStep, TrialStepName } from './smtp-trial.ts'

// Explains the steps of a test mail to a shop's owner. Pure.

/** Plain addresses, and the mail server of the test mail. */
export interface TrialAbout {
  from: string
  to: string
  way: MailServerView['way']
  /** Security of the account's own mail server; null: the installation's server. */
  security: MailSecurity | null
}

const stepTitles: Record<TrialStepName, string> = {
  connect: 'Connect',
  encrypt: 'Encrypt',
  sign_in: 'Sign in',
  mail_from: 'Sender',
  rcpt_to: 'Recipient',
  accept: 'Submit',
}

export function trialChecks(trial: Trial, about: TrialAbout): Check[] {
  return trial.steps.map((step) => check(step.step, stepTitles[step.step], describeStep(step, trial, about)))
}

function describeStep(step: TrialStep, trial: Trial, about: TrialAbout): CheckText {
  if (step.state === 'not_reached') return { state: 'quiet', finding: 'Not reached.' }
  if (step.state === 'failed') return { state: 'bad', answer: step.answer, ...describeFailure(step, trial, about) }
  return step.state === 'passed_over' ? describeSkipped(step.step, trial) : describePassed(step, trial, about)
}

function describeSkipped(step: TrialStepName, { host }: Trial): CheckText {
  if (step === 'sign_in') return { state: 'skipped', finding: 'This mail server is used without sign-in.' }
  return isLoopbackHost(host)
    ? { state: 'skipped', finding: 'Not needed: the mail server is on the same machine.' }
    : { state: 'warn', finding: 'The mail server offers no encryption, so emails are sent to it unencrypted.' }
}

function describePassed(
  { step, answer }: TrialStep,
  { host, port }: Trial,
  { from, to, way: route }: TrialAbout,
): CheckText {
  const done: Record<TrialStepName, string> = {
    connect: `${host} responds on port ${port}.`,
    encrypt: 'The connection is encrypted.',
    sign_in: 'User and password were accepted.',
    mail_from: `It accepts email from ${from}.`,
    rcpt_to: `It accepts email for ${to}.`,
    accept:
      route === 'mailbox'
        ? 'The email is in the built-in mailbox, not in your inbox.'
        : 'The email was sent. Check your inbox and your spam folder.',
  }
  return { state: 'good', finding: done[step], answer }
}

type CheckTexts = { finding: string; nextStep: string }

function describeFailure(step: TrialStep, trial: Trial, about: TrialAbout): CheckTexts {
  const isForNow = /^4\d\d\b/.test(step.answer ?? '')
  if (isForNow && (step.step === 'mail_from' || step.step === 'rcpt_to' || step.step === 'accept')) return FOR_NOW
  const texts = failureText(step.step, trial, about)
  const { failure, host, port } = trial
  const { security } = about
  if (!security || !failure || !CONNECTING.has(step.step)) return texts
  return { ...texts, finding: explainServerFailure(failure, { host, port, security }) }
}

const CONNECTING = new Set<TrialStepName>(['connect', 'encrypt', 'sign_in'])

/** Mostly greylisting: a server defers the first mail of an unknown sender. */
const FOR_NOW: CheckTexts = {
  finding:
    'The mail server temporarily refused the email. Some do this with the first email from a new sender (greylisting).',
  nextStep: 'Send the test email again in a few minutes. Messages to shoppers are retried automatically.',
}

function failureText(step: TrialStepName, { host, port }: Trial, { from, to, way: route }: TrialAbout): CheckTexts {
  const server = `${host}:${port}`
  const isOwn = route === 'own'
  const texts: Record<TrialStepName, [finding: string, nextStep: string]> = {
    connect: [
      `${server} does not respond.`,
      isOwn
        ? 'Check host, port and encryption above.'
        : 'The server’s administrator must check host and port in SMTP_URL, and that no firewall blocks the connection.',
    ],
    encrypt: [
      'No secure connection could be established.',
      isOwn
        ? 'Check host, port and encryption above.'
        : 'Use smtps:// for port 465 and smtp:// for 587 in SMTP_URL, with the host name on the server’s certificate.',
    ],
    sign_in: [
      'The mail server refused the sign-in.',
      `Check user and password ${isOwn ? 'above' : 'in SMTP_URL'}; many providers require an app password.`,
    ],
    mail_from: [
      `The mail server does not send for ${from}.`,
      `Verify this address or its domain with your email provider, or ${isOwn ? 'enter another From address above' : 'set MAIL_FROM to one that is'}.`,
    ],
    rcpt_to: [
      `The mail server does not accept email for ${to}.`,
      'If its answer mentions relaying, it requires sign-in or must allow this server first. Otherwise, check the address.',
    ],
    accept: [
      'The mail server refused the email itself.',
      'Its answer says why: often a provider limit or the content.',
    ],
  }
  const [finding, nextStep] = texts[step]
  return { finding, nextStep }
}
