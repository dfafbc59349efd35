// Durations entered as number and unit, stored in whole minutes.

export const minutesPer = { minutes: 1, hours: 60, days: 1_440 } as const
export type DurationUnit = keyof typeof minutesPer

/** The largest unit that gives a whole number: 1440 → 24 hours, 4320 → 3 days, 90 → 90 minutes. */
export function chooseUnit(minutes: number): DurationUnit {
  if (minutes > 1_440 && minutes % 1_440 === 0) return 'days'
  return minutes >= 60 && minutes % 60 === 0 ? 'hours' : 'minutes'
}

export const toMinutes = (amount: number, unit: DurationUnit) => Math.round(amount * minutesPer[unit])
