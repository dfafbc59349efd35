// A message needs a permit to get on a wire, and there are five ways to one. It is a type and no more: nothing is looked up, nothing
// is checked when it runs. `test/architecture.test.ts` knows who may give which, so that no way out is built past the decision.

declare const given: unique symbol
/** The word says how it was come by. */
export type Permit = ('decision' | 'test' | 'answer' | 'question' | 'account') & { readonly [given]: true }

/** A message with the right to be sent. */
export type Permitted<Message> = Message & { readonly permit: Permit }

/** D2 has passed, consent and suppression included: only `decide` says so. */
export const permitByDecision = (): Permit => 'decision' as Permit

/** A person tries a message out on themselves. */
export const permitTest = (): Permit => 'test' as Permit

/** The answer to STOP, START, HELP or YES, to whom just wrote it (C4). */
export const permitAnswer = (): Permit => 'answer' as Permit

/** The one question whether a yes was meant (double opt-in). */
export const permitQuestion = (): Permit => 'question' as Permit

/** Mail to the people who use Recoup: invitations, new passwords, warnings. */
export const permitAccountMail = (): Permit => 'account' as Permit
