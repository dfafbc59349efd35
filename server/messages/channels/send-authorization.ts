// No channel sends a message without a send authorization, and only these functions create one. It is a type and no more: nothing is
// looked up, nothing is checked at run time. `test/architecture.test.ts` lists which file may call which, so that no message can be sent
// past the decision.

declare const given: unique symbol
/** The word says how it was come by. */
export type SendAuthorization = ('decision' | 'test' | 'answer' | 'opt_in_request' | 'account') & {
  readonly [given]: true
}

/** A message with the right to be sent. */
export type Authorized<Message> = Message & { readonly sendAuthorization: SendAuthorization }

/** D2 has passed, consent and suppression included: only `decide` says so. */
export const authorizeByDecision = (): SendAuthorization => 'decision' as SendAuthorization

/** A person tries a message out on themselves. */
export const authorizeTest = (): SendAuthorization => 'test' as SendAuthorization

/** The answer to STOP, START, HELP or YES, to whom just wrote it (C4). */
export const authorizeAnswer = (): SendAuthorization => 'answer' as SendAuthorization

/** The one message that asks whether a consent was meant (double opt-in). */
export const authorizeOptInRequest = (): SendAuthorization => 'opt_in_request' as SendAuthorization

/** Mail to the people who use Recoup: invitations, new passwords, warnings. */
export const authorizeAccountMail = (): SendAuthorization => 'account' as SendAuthorization
