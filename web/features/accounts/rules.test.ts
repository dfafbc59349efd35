import { expect, it } from 'vitest'
import { checkNewPassword, checkSignIn, ratePassword } from './rules.ts'

const form = { name: 'Ada', email: 'ada@example.com', password: 'secret', repeated: 'secret' }

it('accepts a complete form in every mode', () => {
  for (const mode of ['login', 'register', 'forgot'] as const) expect(checkSignIn(mode, form)).toEqual({})
})

it('requires the fields of each mode, with the specification’s texts', { tags: ['A5'] }, () => {
  const empty = { name: ' ', email: ' ', password: '', repeated: '' }
  expect(checkSignIn('login', empty)).toEqual({ email: 'Email is required', password: 'Password is required' })
  expect(checkSignIn('forgot', empty)).toEqual({ email: 'Email is required' })
  expect(checkSignIn('register', empty)).toEqual({
    name: 'Name is required',
    email: 'Email is required',
    password: 'Password is required',
  })
})

it('requires new passwords to have six characters and to match', { tags: ['A5', 'A9'] }, () => {
  expect(checkNewPassword({ password: 'short', repeated: 'short' })).toEqual({
    password: 'Password must be at least 6 characters long',
  })
  expect(checkNewPassword({ password: 'secret', repeated: 'secret2' })).toEqual({ repeated: 'Passwords do not match' })
})

it('rates a password higher the longer and less predictable it is', () => {
  const bars = (password: string, known?: string[]) => ratePassword(password, known).bars
  expect(ratePassword('12345')).toEqual({ bars: 0, word: 'Too short' })
  for (const weak of ['123456', 'aaaaaaaaaaaa', 'abcdefghij', 'password1', 'Qwerty123!'])
    expect([weak, bars(weak)]).toEqual([weak, 1])
  expect(bars('tea pot 7')).toBeGreaterThan(1)
  expect(bars('correct horse battery')).toBe(4)
  expect(bars('Olive-Owner-77', ['Olive'])).toBeLessThan(bars('Olive-Owner-77'))
})
