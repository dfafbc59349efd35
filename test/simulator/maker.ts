import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Act, Answer } from './steps.ts'

// What acts are made with.

/** Chance, and whose history it is. */
export interface ActContext extends Random {
  people: readonly Person[]
  hasTexts: boolean
}

export type ActMaker = (chance: ActContext) => Act
/** By name: how often, and how one is made. */
export type ActMakers = Record<string, [weight: number, make: ActMaker]>

export const drawAnswer = (chance: ActContext): Answer =>
  chance.weighted({
    accepts: 8,
    refuses: 1,
    bounces: 1,
    'opted out': chance.hasTexts ? 0.7 : 0,
    retry: 6,
    'silent, took it': 2,
    'silent, lost it': 2,
    'takes it, sender dies': 1.5,
    'sender dies first': 1,
  })
