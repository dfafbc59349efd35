import { ofCampaigns } from './states/campaigns.ts'
import { atTheDoor } from './states/door.ts'
import { ofTheFrame, onTheWayIn } from './states/frame.ts'
import { ofLift } from './states/lift.ts'
import { ofOperators } from './states/operator.ts'
import { ofPush } from './states/push.ts'
import { ofSettings } from './states/settings.ts'
import type { State } from './states/steps.ts'
import { ofConnecting } from './states/stores.ts'
import { ofTheSections } from './states/work.ts'

// What screens look like when something is missing, on its way, refused or open: for `screens.test.ts`.

export const states: State[] = [
  ...atTheDoor,
  ...ofTheSections,
  ...ofCampaigns,
  ...ofLift,
  ...ofSettings,
  ...ofPush,
  ...ofOperators,
  ...onTheWayIn,
  ...ofConnecting,
  ...ofTheFrame,
]
