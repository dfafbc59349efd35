import { S6, S7 } from './carts.ts'
import { D3 } from './fence.ts'
import { A3, C2, C5, T1, T4 } from './people.ts'
import { wayD } from './rollups.ts'
import type { Invariant } from './scene.ts'
import { D1, D5, D6, D7, D10 } from './sending.ts'

export const invariants = { D1, D3, D5, D6, D7, D10, S6, S7, C2, C5, A3, T1, T4, 'Way D': wayD } satisfies Record<
  string,
  Invariant
>
export type Rule = keyof typeof invariants
