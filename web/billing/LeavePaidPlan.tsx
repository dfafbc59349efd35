import { Text } from '@mantine/core'
import { type PlanKey, plans } from '../../shared/billing.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { limitLines } from './rules.ts'

interface Props {
  opened: boolean
  current: PlanKey
  isBusy: boolean
  problem: string | undefined
  onConfirm: () => void
  onClose: () => void
}

/** Going back to the free plan is asked about, with what it means. Until there are billing periods it happens at once. */
export function LeavePaidPlan({ current, ...dialog }: Props) {
  const { name, limits } = plans.free
  return (
    <Confirm {...dialog} title={`Change to ${name}?`} confirmLabel={`Change to ${name}`} isDangerous>
      <Text>
        Your {plans[current].name} plan ends now, not at the end of a billing period. {name} includes:
      </Text>
      <ul>
        {limitLines(limits).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Text>
        Messages that {name} does not include are held, and dropped once they expire. Your stores stay connected, and
        their data is kept.
      </Text>
    </Confirm>
  )
}
