// A channel sends only messages with a send authorization, and only these functions create one. It is only a type:
// nothing is checked at run time. `test/architecture.test.ts` lists which file may call which function, so that no
// message bypasses the decision.

declare const isGranted: unique symbol
/** The value names its source. */
export type SendAuthorization = ('decision' | 'test' | 'answer' | 'opt_in_request' | 'account') & {
  readonly [isGranted]: true
}

/** A message that may be sent. */
export type Authorized<Message> = Message & { readonly sendAuthorization: SendAuthorization }

/** The message passed D2, including consent and suppression. Only `decide` may call this. */
export const authorizeByDecision = (): SendAuthorization => 'decision' as SendAuthorization

/** A user sends a test message to themselves. */
export const authorizeTest = (): SendAuthorization => 'test' as SendAuthorization

/** The reply to STOP, START, HELP or YES, to its sender (C4). */
export const authorizeAnswer = (): SendAuthorization => 'answer' as SendAuthorization

/** The one message that confirms a consent (double opt-in). */
export const authorizeOptInRequest = (): SendAuthorization => 'opt_in_request' as SendAuthorization

/** Mail to Recoup's users: invitations, password resets, warnings. */
export const authorizeAccountMail = (): SendAuthorization => 'account' as SendAuthorization
