import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { plans } from '../../../shared/billing/billing.ts'
import type { ChangePreview } from '../../../shared/billing/payments.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import {
  buildDueLines,
  type Choice,
  describeMissing,
  describeNextBill,
  formatChoice,
  proposeRestingStores,
} from './change-copy.ts'
import { formatAmount } from './detail-copy.ts'
import { formatDate } from './plan-copy.ts'
import { RestingChoice } from './RestingChoice.tsx'
import { StepTitle } from './StepTitle.tsx'

interface Props {
  choice: Choice
  preview: ChangePreview
  isBusy: boolean
  onConfirm: (restingStoreIds: string[]) => void
  onBack: () => void
  /** Error of the last attempt. */
  children: ReactNode
}

/** Shows the cost, the date and exceeded limits of a change above the button that makes it (decision 85). */
export function ConfirmChange({ choice, preview, isBusy, onConfirm, onBack, children }: Props) {
  const { when, at, dueNow, currency, lost, storesTooMany: needed } = preview
  const [resting, setResting] = useState(() => proposeRestingStores(preview))
  const missing = describeMissing(needed, resting.length)
  const isNow = when === 'now'
  return (
    <Stack gap="lg">
      <div>
        <StepTitle>{formatChoice(choice)}</StepTitle>
        <Text>
          {isNow ? 'The plan changes immediately.' : `The plan changes on ${formatDate(at)}. Nothing is due now.`}
        </Text>
      </div>
      {isNow && (
        <Facts
          entries={buildDueLines(preview).map(([name, text], at, all) => [
            name,
            at === all.length - 1 ? <strong key={name}>{text}</strong> : text,
          ])}
        />
      )}
      <Text>{describeNextBill(preview)}</Text>
      {lost.length > 0 && <LostFeatures plan={choice.plan} lost={lost} />}
      {needed > 0 && (
        <RestingChoice
          label={`${formatCounted(needed, 'store')} will become inactive`}
          needed={needed}
          stores={preview.stores}
          chosen={resting}
          onChoose={setResting}
        />
      )}
      {children}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button loading={isBusy} disabled={missing !== null} onClick={() => onConfirm(needed > 0 ? resting : [])}>
          {isNow
            ? dueNow > 0
              ? `Pay ${formatAmount(dueNow, currency)} and change`
              : 'Change plan'
            : `Change on ${formatDate(at)}`}
        </Button>
      </Group>
    </Stack>
  )
}

const LostFeatures = ({ plan, lost }: { plan: Choice['plan']; lost: string[] }) => (
  <div>
    <Text fw={550}>Not included in {plans[plan].name}</Text>
    <ul className="lost">
      {lost.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  </div>
)
