import { Anchor, Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { FlowChannels } from '../../shared/flows.ts'
import { DurationInput } from '../ui/DurationInput.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CodeHint, NoCouponByWhatsApp, StepCoupon } from '../words/StepCoupon.tsx'
import { couponUse } from '../words/step-coupon.ts'
import { TextFields } from '../words/TextFields.tsx'
import { channelNames, type StepEdit, type StepProblems } from './rules.ts'

const LONGEST_SMS = 1_000
const CHANNELS = ['email', 'sms', 'whatsapp'] as const

interface Props {
  step: StepEdit
  problems: StepProblems
  channels: FlowChannels
  isReadOnly: boolean
  onChange: (next: Partial<StepEdit>) => void
}

export function StepEditor({ step, problems, channels, isReadOnly, onChange }: Props) {
  const { channel } = step
  return (
    <Stack gap="md">
      <DurationInput
        label="Send after"
        disabled={isReadOnly}
        minutes={step.delayMinutes}
        onChange={(delayMinutes) => onChange({ delayMinutes })}
        error={problems.delayMinutes}
      />
      <Input.Wrapper label="Channel" labelElement="div" error={problems.channel}>
        <div>
          <SegmentedControl
            aria-label="Channel"
            disabled={isReadOnly}
            value={channel}
            onChange={(value) => onChange({ channel: value as StepEdit['channel'] })}
            data={CHANNELS.map((value) => ({ value, label: channelNames[value] }))}
          />
        </div>
      </Input.Wrapper>
      {(channel === 'sms' || channel === 'whatsapp') && <Obstacle problem={channels[channel].problem} />}
      {(channel === 'email' || channel === 'sms') && (
        <StepCoupon step={step} problems={problems} isReadOnly={isReadOnly} onChange={onChange} />
      )}
      {channel === 'email' && (
        <TextFields
          words={step}
          hasSubject
          problems={problems}
          isReadOnly={isReadOnly}
          coupon={couponUse(step)}
          onChange={onChange}
        />
      )}
      {channel === 'sms' && (
        <TextFields
          words={{ subject: '', body: step.sms }}
          hasSubject={false}
          problems={problems}
          isReadOnly={isReadOnly}
          minRows={5}
          longest={LONGEST_SMS}
          coupon={couponUse(step)}
          isText
          onChange={({ body }) => body !== undefined && onChange({ sms: body })}
        />
      )}
      {(channel === 'email' || channel === 'sms') && <CodeHint step={step} />}
      {channel === 'whatsapp' && (
        <>
          <Template text={channels.whatsapp.template} />
          <NoCouponByWhatsApp step={step} />
        </>
      )}
    </Stack>
  )
}

/** Said before anything is saved: what is planned would wait for it. */
function Obstacle({ problem }: { problem: string | null }) {
  if (!problem) return null
  const isOfPlan = problem.includes('plan')
  return (
    <Notice tone="warn">
      {problem}{' '}
      <Anchor
        component={Link}
        to={isOfPlan ? '/pricing' : `/settings/sending/${problem.includes('SMS') ? 'sms' : 'whatsapp'}`}
        inherit
        underline="always"
      >
        {isOfPlan ? 'See plans' : 'Open the settings'}
      </Anchor>
    </Notice>
  )
}

function Template({ text }: { text: string | null }) {
  if (!text) return null
  return (
    <div>
      <Text fz="sm" fw={550} mb={4}>
        Approved template
      </Text>
      <pre className="snippet">{text}</pre>
      <Text fz="sm" c="dimmed" mt={4}>
        WhatsApp delivers only approved templates.{' '}
        <Anchor component={Link} to="/settings/sending/whatsapp" inherit underline="always">
          Choose another one
        </Anchor>
      </Text>
    </div>
  )
}
