import { authTexts, PASSWORD_MIN } from '../../shared/auth.ts'

// What the sign-in forms check before they ask the server (A 5). Pure.

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

/** Problems of a new password typed twice; both messages stand at the field they are about. */
export function checkNewPassword({ password, repeated }: Pick<SignInForm, 'password' | 'repeated'>): Problems {
  const problems: Problems = {}
  if (password === '') problems.password = authTexts.passwordRequired
  else if (password.length < PASSWORD_MIN) problems.password = authTexts.passwordShort
  if (password !== repeated) problems.repeated = authTexts.passwordsDiffer
  return problems
}
