import { Button, Group, NumberInput, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type BillingCycle, billingCycles, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import type { SubscriptionDetail } from '../../../shared/billing/payments.ts'
import { type Choice, describeExtraStore, describePrice, isSame, paidPlans } from './change-copy.ts'
import { cycleNames } from './detail-copy.ts'
import { listLimits } from './rules.ts'

interface Props {
  detail: SubscriptionDetail
  choice: Choice
  most: number
  isBusy: boolean
  /** Error of the last attempt. */
  problem: ReactNode
  onChoose: (choice: Choice) => void
  onContinue: () => void
  onClose: () => void
}

export function ChooseChange({ detail, choice, most, isBusy, problem, onChoose, onContinue, onClose }: Props) {
  const isNow = isSame(choice, detail)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isNow) onContinue()
      }}
    >
      <Stack gap="lg">
        <Plans choice={choice} onChoose={onChoose} />
        <Cycle choice={choice} onChoose={onChoose} />
        <NumberInput
          label="Extra stores"
          description={describeExtraStore(choice.cycle)}
          min={0}
          max={most}
          clampBehavior="strict"
          allowDecimal={false}
          allowNegative={false}
          w={280}
          maw="100%"
          value={choice.extraStores}
          onChange={(value) => onChoose({ ...choice, extraStores: Number(value) || 0 })}
        />
        <Text aria-live="polite">{isNow ? 'This is your current plan.' : `${describePrice(choice)}, before tax.`}</Text>
        {problem}
        <Text fz="sm" c="dimmed">
          For {plans.free.name}, cancel the subscription. It stays active until the billing period ends.
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={isBusy} disabled={isNow}>
            Show the price
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type FieldProps = Pick<Props, 'choice' | 'onChoose'>

const Plans = ({ choice, onChoose }: FieldProps) => (
  <Radio.Group
    label="Plan"
    value={choice.plan}
    onChange={(plan) => onChoose({ ...choice, plan: plan as Choice['plan'] })}
  >
    <Stack gap="sm" mt="xs">
      {paidPlans.map((key) => (
        <Radio key={key} value={key} label={plans[key].name} description={listLimits(plans[key].limits).join(' · ')} />
      ))}
    </Stack>
  </Radio.Group>
)

const Cycle = ({ choice, onChoose }: FieldProps) => (
  <Group gap="sm">
    <SegmentedControl
      aria-label="Billing cycle"
      value={choice.cycle}
      onChange={(cycle) => onChoose({ ...choice, cycle: cycle as BillingCycle })}
      data={billingCycles.map((value) => ({ value, label: cycleNames[value] }))}
    />
    <Text fz="sm" c="dimmed">
      {cycleNames.year}: {billingTexts.save}
    </Text>
  </Group>
)
