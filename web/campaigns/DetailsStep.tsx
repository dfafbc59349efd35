import { Input, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import type { CampaignType } from '../../shared/campaigns.ts'
import { capabilities } from '../../shared/platforms.ts'
import { pushTexts } from '../../shared/push.ts'
import { useStore } from '../access/queries.ts'
import { type StepProps, typeNames } from './rules.ts'

const TYPES: readonly CampaignType[] = ['email', 'sms', 'whatsapp', 'push']

const about: Record<CampaignType, string | null> = {
  email: null,
  sms: 'Through your own account at Twilio. You pay for each segment.',
  whatsapp: 'Through your own account at Twilio or Meta, with an approved template.',
  push: 'To shoppers who have allowed notifications in your shop.',
}

/** B 2, step 1. */
export function DetailsStep({ draft, problems, isReadOnly, hasBegun = false, onChange }: StepProps) {
  const store = useStore()
  const isMissing = (type: CampaignType) => type === 'push' && store !== null && !capabilities[store.platform].pushHost
  return (
    <Stack gap="md">
      <TextInput
        label="Campaign name"
        required
        data-autofocus
        maxLength={120}
        readOnly={isReadOnly}
        value={draft.name}
        error={problems.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description (optional)"
        description="Only you and your team see it."
        autosize
        minRows={2}
        maxLength={500}
        readOnly={isReadOnly}
        value={draft.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <Radio.Group
        label="Type"
        value={draft.type}
        {...(hasBegun && { description: 'The type stays as it is once a campaign has begun.' })}
        onChange={(type) => onChange({ type: type as CampaignType })}
      >
        <Stack gap="xs" mt="xs">
          {TYPES.map((type) => (
            <Radio
              key={type}
              value={type}
              label={typeNames[type]}
              description={isMissing(type) ? pushTexts.noHost : about[type]}
              disabled={isReadOnly || isMissing(type) || (hasBegun && type !== draft.type)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {problems.type && <Input.Error>{problems.type}</Input.Error>}
    </Stack>
  )
}
