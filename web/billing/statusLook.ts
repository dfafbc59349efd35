import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
} from '@tabler/icons-react'
import type { Tone } from '../ui/Notice.tsx'

const looks: Record<string, { tone: Tone; icon: Icon; label: string }> = {
  active: { tone: 'good', icon: IconCircleCheck, label: 'Active' },
  trialing: { tone: 'info', icon: IconClock, label: 'Trial' },
  past_due: { tone: 'warn', icon: IconAlertTriangle, label: 'Past Due' },
  canceled: { tone: 'bad', icon: IconCircleX, label: 'Canceled' },
}

/** Beside the status of one that goes on only until its period ends. `day`: null where it is not known. */
export const endingLook = (day: string | null) => ({
  ...{ tone: 'warn' as const, icon: IconClock, label: day ? `Ends ${day}` : 'Ends with its period' },
})

/** How a subscription's status is said (A 4.3): one we do not know, in its own words. */
export const statusLook = (status: string) =>
  looks[status] ?? { tone: 'quiet' as const, icon: IconCircleDashed, label: status }
