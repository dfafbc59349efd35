import { Stack, Title } from '@mantine/core'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { DurationInput } from '../ui/DurationInput.tsx'
import { ChannelOrder } from './ChannelOrder.tsx'
import { Conditions } from './Conditions.tsx'
import { StepWords, type StepWordsProps } from './StepWords.tsx'

interface Props extends StepWordsProps {
  currency: string
}

/** All that is edited of a message: when and how it goes, who gets it, its words, and how it looks. */
export function StepPanel(props: Props) {
  const { step, problems, channels, currency, rulesPlan, isReadOnly, onChange } = props
  return (
    <Stack gap="xl">
      <Stack gap="md" component="section" aria-label="When and how">
        <DurationInput
          label="Send after"
          description="Counted from the shopper’s last activity"
          disabled={isReadOnly}
          minutes={step.delayMinutes}
          onChange={(delayMinutes) => onChange({ delayMinutes }, 'Time changed', 'delay')}
          error={problems.delayMinutes}
        />
        <ChannelOrder
          channels={step.channels}
          obstacles={channels}
          error={problems.channels}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange({ channels: next }, 'Channels changed')}
        />
      </Stack>
      <Stack gap="md" component="section" aria-label="Who gets it">
        <Title order={3}>Who gets it</Title>
        {rulesPlan !== null && <UpgradeNotice text={rulesPlan} />}
        <Conditions
          label="Send it only if"
          none="Everybody who has left a cart of this flow, and has not bought since."
          conditions={step.conditions}
          currency={currency}
          error={problems.conditions}
          isReadOnly={isReadOnly || rulesPlan !== null}
          onChange={(conditions) => onChange({ conditions }, 'Conditions changed', 'conditions')}
        />
      </Stack>
      <StepWords {...props} />
    </Stack>
  )
}
