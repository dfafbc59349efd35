import { Anchor, Button, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import type { FlowChannels } from '../../../shared/marketing/flows.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { moveItem } from '../../core/ui/reorder.ts'
import { channelNames } from '../../kits/flows/rules.ts'
import { setFirstChannel } from './draft.ts'
import { findObstacle } from './problems.ts'

/** The carriers' rule (server/shoppers/consent/consent.ts). */
const ONE_SMS = 'A US shopper gets at most one SMS per cart, within 48 hours of abandoning it.'

const CHANNELS = ['email', 'sms', 'whatsapp', 'push'] as const

/** Inside a sentence: by email, by SMS. */
export const channelText: Record<FlowChannel, string> = {
  email: 'email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'push',
}

interface Props {
  channels: readonly FlowChannel[]
  obstacles: FlowChannels
  error: string | undefined
  isReadOnly: boolean
  onChange: (next: FlowChannel[]) => void
}

/** Channels of a message in order of preference: the first that can be used sends it. */
export function ChannelOrder({ channels, obstacles, error, isReadOnly, onChange }: Props) {
  const [first, ...others] = channels
  const unused = CHANNELS.filter((channel) => !channels.includes(channel))
  return (
    <Stack gap="sm">
      <Input.Wrapper label="Channel" labelElement="div" error={error}>
        <div>
          <SegmentedControl
            aria-label="Channel"
            disabled={isReadOnly}
            value={first!}
            onChange={(value) => onChange(setFirstChannel(channels, value as FlowChannel))}
            data={CHANNELS.map((value) => ({ value, label: channelNames[value] }))}
          />
        </div>
      </Input.Wrapper>
      <Input.Wrapper
        label={`If it cannot be sent by ${channelText[first!]}`}
        description="Tried in this order for shoppers whose address, consent or number is missing. Each gets the message once."
        labelElement="div"
      >
        <Stack gap={6} mt={6}>
          {others.length > 0 && (
            <ol className="fallbacks" aria-label="Other channels, in order">
              {others.map((channel, index) => (
                <li key={channel}>
                  <Text fz="sm" fw={550} style={{ flex: 1 }}>
                    {channelNames[channel]}
                  </Text>
                  {!isReadOnly && index > 0 && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={`Try ${channelText[channel]} earlier`}
                      onClick={() => onChange(moveItem(channels, index + 1, index))}
                    >
                      <IconArrowUp size={14} aria-hidden />
                    </Button>
                  )}
                  {!isReadOnly && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={`Do not try ${channelText[channel]}`}
                      onClick={() => onChange(channels.filter((other) => other !== channel))}
                    >
                      <IconX size={14} aria-hidden />
                    </Button>
                  )}
                </li>
              ))}
            </ol>
          )}
          {others.length === 0 && isReadOnly && (
            <Text fz="sm" c="dimmed">
              It is not sent.
            </Text>
          )}
          {!isReadOnly && unused.length > 0 && (
            <Group gap={6}>
              {unused.map((channel) => (
                <Button
                  key={channel}
                  variant="default"
                  size="compact-sm"
                  leftSection={<IconPlus size={14} aria-hidden />}
                  aria-label={`Then try ${channelText[channel]}`}
                  onClick={() => onChange([...channels, channel])}
                >
                  {channelNames[channel]}
                </Button>
              ))}
            </Group>
          )}
        </Stack>
      </Input.Wrapper>
      {channels.includes('sms') && (
        <Text fz="sm" c="dimmed">
          {ONE_SMS}
        </Text>
      )}
      {channels.map((channel) => (
        <Obstacle key={channel} channel={channel} problem={findObstacle(channel, obstacles)} />
      ))}
    </Stack>
  )
}

/** Warns before saving: scheduled messages would wait for the channel or use another. */
function Obstacle({ channel, problem }: { channel: FlowChannel; problem: string | null }) {
  if (!problem) return null
  // Set by the platform, not by the owner.
  if (channel === 'push') return <Notice tone="warn">{problem}</Notice>
  const isOfPlan = problem.includes('plan')
  return (
    <Notice tone="warn">
      {problem}{' '}
      <Anchor component={Link} to={isOfPlan ? '/pricing' : `/settings/sending/${channel}`} inherit underline="always">
        {isOfPlan ? 'See plans' : 'Open the settings'}
      </Anchor>
    </Notice>
  )
}
