// Validation of a store's settings, for form and server. Pure.

import { findOneLineProblem } from '../core/one-line.ts'

export interface StoreSettings {
  senderName: string
  /** Reply address; '' or null = the server's own address. */
  senderEmail: string | null
  /** C7. */
  postalAddress: string
  /** Decision 9. */
  abandonmentTimeoutMinutes: number
  /** T2: hours of the recipient's day as `HH:MM`; they may span midnight. */
  quietFrom: string
  quietUntil: string
  /** T1: maximum messages per person in a rolling window, and its hours. */
  capMessages: number
  capWindowHours: number
  /** Decision 12: hours between two SMS, or two WhatsApp messages, for one cart. */
  textCooldownHours: number
  /** A1. */
  attributionWindowDays: number
}

export type SettingName = keyof StoreSettings

export const settingLimits = {
  senderName: 120,
  postalAddress: 400,
  abandonmentTimeoutMinutes: [15, 10_080],
  capMessages: [1, 20],
  capWindowHours: [1, 168],
  textCooldownHours: [1, 168],
  attributionWindowDays: [1, 30],
} as const

/** Names of the settings outside their own field. */
export const settingNames: Readonly<Record<SettingName, string>> = {
  senderName: 'Sender name',
  senderEmail: 'Sender email',
  postalAddress: 'Postal address',
  abandonmentTimeoutMinutes: 'A cart counts as abandoned after',
  quietFrom: 'Quiet hours start',
  quietUntil: 'Quiet hours end',
  capMessages: 'Messages per person',
  capWindowHours: 'Within',
  textCooldownHours: 'Time between texts about a cart',
  attributionWindowDays: 'Attribution window',
}

export const settingTexts = {
  changedMeanwhile: 'Someone else has changed these settings since you opened them. Nothing was saved.',
} as const

/** Error messages by field; missing fields are not checked. */
export function findSettingProblems(settings: { [Name in SettingName]?: StoreSettings[Name] | undefined }) {
  const problems: Partial<Record<SettingName, string>> = {}
  const note = (name: SettingName, problem: string | null) => {
    if (settings[name] !== undefined && problem) problems[name] = problem
  }
  note('senderName', findTextProblem(settings.senderName, settingLimits.senderName, { isOneLine: true }))
  note('senderEmail', findEmailProblem(settings.senderEmail))
  note('postalAddress', findTextProblem(settings.postalAddress, settingLimits.postalAddress))
  note(
    'abandonmentTimeoutMinutes',
    findNumberProblem('abandonmentTimeoutMinutes', settings, 'Between 15 minutes and 7 days'),
  )
  note('capMessages', findNumberProblem('capMessages', settings, 'A whole number from 1 to 20'))
  note('capWindowHours', findNumberProblem('capWindowHours', settings, 'Between 1 hour and 7 days'))
  note('textCooldownHours', findNumberProblem('textCooldownHours', settings, 'Between 1 hour and 7 days'))
  note('attributionWindowDays', findNumberProblem('attributionWindowDays', settings, 'A whole number of days, 1 to 30'))
  note('quietFrom', timeProblem(settings.quietFrom))
  note('quietUntil', timeProblem(settings.quietUntil))
  if (settings.quietFrom && settings.quietFrom === settings.quietUntil) {
    problems.quietUntil ??= 'Quiet hours cannot start and end at the same time'
  }
  return problems
}

function findTextProblem(text: string | undefined, longest: number, { isOneLine = false } = {}): string | null {
  if (text === undefined) return null
  if (text.trim().length > longest) return `At most ${longest} characters`
  return isOneLine ? findOneLineProblem(text.trim()) : null
}

function findEmailProblem(email: string | null | undefined): string | null {
  const text = email?.trim() ?? ''
  if (text === '') return null
  return text.length <= 254 && /^[^\s@<>",;]+@[^\s@<>",;.]+(\.[^\s@<>",;.]+)+$/.test(text)
    ? null
    : 'This is not an email address'
}

type NumericSetting = keyof Pick<
  StoreSettings,
  'abandonmentTimeoutMinutes' | 'capMessages' | 'capWindowHours' | 'textCooldownHours' | 'attributionWindowDays'
>

function findNumberProblem(
  name: NumericSetting,
  settings: { [Name in NumericSetting]?: number | undefined },
  problem: string,
) {
  const value = settings[name]
  const [min, max] = settingLimits[name]
  return value !== undefined && Number.isInteger(value) && value >= min && value <= max ? null : problem
}

const timeProblem = (time: string | undefined) =>
  time !== undefined && /^([01]\d|2[0-3]):[0-5]\d$/.test(time) ? null : 'A time such as 21:00'

export const parseMinuteOfDay = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

export const formatMinuteOfDay = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
