import type { ThemeName } from '../../mail-document.ts'

// The words of the ready designs, a record per language. `{store}`, `{saving}` and `{offer}` are values,
// `{customer|there}` has a fallback, and a line break is one. They claim nothing: what a shop promises, its owner adds.

interface ReminderCopy {
  subject: string
  preview: string
  heading: string
  text: string
}

export interface LastCopy {
  /** Names the saving. */
  subject: string
  preview: string
  /** The headline where the saving is known. */
  saving: string
  text: string
  /** Without a coupon. */
  plainHeading: string
  plainText: string
}

/** A letter begins with the greeting, and only a coupon gives it a headline. */
interface LetterCopy {
  first: Omit<ReminderCopy, 'heading'> & LetterEnd
  second: Omit<ReminderCopy, 'heading'> & LetterEnd
  last: Omit<LastCopy, 'plainHeading'> & LetterEnd
}

interface LetterEnd {
  close: string
  sign: string
}

interface PlacesCopy {
  first: ReminderCopy
  second: ReminderCopy
  last: LastCopy
}

export interface DesignCopy extends Record<Exclude<ThemeName, 'letter'>, PlacesCopy> {
  /** Begins a letter. */
  greeting: string
  back: string
  inYourCart: string
  yourCode: string
  /** The headline of a coupon whose saving is unknown. */
  offer: string
  /** Titles above the owner's own answers. */
  shipping: string
  returns: string
  questions: string
  letter: LetterCopy
}
