import { authTexts, PASSWORD_MIN } from '../../../shared/access/auth.ts'
import type { Role } from '../../../shared/access/roles.ts'

// Client-side checks of the sign-in forms (A 5) and role labels. Pure.

export interface SignInForm {
  name: string
  email: string
  password: string
  repeated: string
}
export type SignInMode = 'login' | 'register' | 'forgot'
type Problems = Partial<Record<keyof SignInForm, string>>

export function checkSignIn(mode: SignInMode, form: SignInForm): Problems {
  const problems: Problems = {}
  if (mode === 'register' && form.name.trim() === '') problems.name = authTexts.nameRequired
  if (form.email.trim() === '') problems.email = authTexts.emailRequired
  if (mode === 'forgot') return problems
  if (form.password === '') problems.password = authTexts.passwordRequired
  if (mode === 'register') Object.assign(problems, checkNewPassword(form))
  return problems
}

/** Errors of a new password typed twice, by the field they are shown at. */
export function checkNewPassword({ password, repeated }: Pick<SignInForm, 'password' | 'repeated'>): Problems {
  const problems: Problems = {}
  if (password === '') problems.password = authTexts.passwordRequired
  else if (password.length < PASSWORD_MIN) problems.password = authTexts.passwordShort
  if (password !== repeated) problems.repeated = authTexts.passwordsDiffer
  return problems
}

export interface Strength {
  /** 0 to 4 of four bars. */
  bars: number
  word: string
}

const labels = ['Too short', 'Weak', 'Fair', 'Good', 'Strong']
const FAVOURITES =
  /password|passwort|qwert|letmein|welcome|iloveyou|admin|abc123|111111|123123|dragon|monkey|football|sunshine/

/**
 * Estimates password strength from its length without repeats and sequences, and its character classes. Only a hint, so
 * the page needs no dictionary; the rule is the length alone (A 5).
 */
export function ratePassword(password: string, known: readonly string[] = []): Strength {
  if (password.length < PASSWORD_MIN) return { bars: 0, word: labels[0]! }
  const lower = password.toLowerCase()
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length
  const isGuessed =
    FAVOURITES.test(lower) || known.some((word) => word.length > 3 && lower.includes(word.toLowerCase()))
  const points = countUnpredictable(lower) + (kinds - 1) * 2 - (isGuessed ? 8 : 0)
  const bars = points >= 16 ? 4 : points >= 12 ? 3 : points >= 9 ? 2 : 1
  return { bars, word: labels[bars]! }
}

/** Characters that neither repeat the one before nor continue a sequence. */
function countUnpredictable(text: string): number {
  const steps = [...text].map((letter, index) => letter.charCodeAt(0) - (index > 0 ? text.charCodeAt(index - 1) : -9))
  return steps.filter((step) => Math.abs(step) > 1).length
}

export const formatRole = (role: Role) => role.charAt(0).toUpperCase() + role.slice(1)
/** The server refuses to remove the last owner, so no button offers it. */
export const isLastOwner = (role: Role, members: readonly { role: Role }[]) =>
  role === 'owner' && members.filter((each) => each.role === 'owner').length === 1

export const addArticle = (role: Role) => (/^[ao]/.test(role) ? `an ${role}` : `a ${role}`)
export const lowercaseFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
