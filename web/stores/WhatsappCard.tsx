import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { SenderRows } from './SenderRows.tsx'
import { SaveOutcome, SecretInput, type TwilioForm, twilioForm, twilioProblems } from './SmsCard.tsx'
import { TemplateChoice } from './TemplateChoice.tsx'
import { RemoveChannel, TextChannelFrame } from './TextChannelFrame.tsx'
import { useSaveWhatsapp } from './text-queries.ts'
import { sendersOf } from './text-rules.ts'

export function WhatsappCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about="By Meta’s Cloud API, or by Twilio. Shoppers get a message only with their consent, and outside of 24 hours after their own message only by a template WhatsApp has approved. Marketing to US numbers is refused."
    >
      {view.state === 'ready' && <TemplateChoice key={`template ${view.version}`} view={view} />}
      <WhatsappForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

const providers = { meta: 'Meta', twilio: 'Twilio' }

function WhatsappForm({ view }: { view: TextChannelView }) {
  const [provider, setProvider] = useState<'meta' | 'twilio'>(view.provider ?? 'meta')
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Provider"
        w="fit-content"
        value={provider}
        onChange={(value) => setProvider(value as 'meta' | 'twilio')}
        data={[
          { value: 'meta', label: 'Meta Cloud API' },
          { value: 'twilio', label: 'Twilio' },
        ]}
      />
      {provider === 'meta' ? <MetaForm view={view} /> : <ByTwilioForm view={view} />}
    </Stack>
  )
}

interface MetaFields {
  phoneNumberId: string
  businessAccountId: string
  accessToken: string
  appSecret: string
}

function MetaForm({ view }: { view: TextChannelView }) {
  const save = useSaveWhatsapp()
  const isKept = view.state === 'ready' && view.provider === 'meta'
  const digits = (value: string) => (/^\d{5,25}$/.test(value.trim()) ? null : 'Digits only, from WhatsApp Manager')
  const secret = (value: string) => (value.trim() || isKept ? null : 'Please enter it')
  const form = useForm<MetaFields>({
    initialValues: {
      phoneNumberId: (isKept && view.identity.phoneNumberId) || '',
      businessAccountId: (isKept && view.identity.businessAccountId) || '',
      accessToken: '',
      appSecret: '',
    },
    validate: { phoneNumberId: digits, businessAccountId: digits, accessToken: secret, appSecret: secret },
  })
  const submit = form.onSubmit((values) => {
    const trimmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))
    save.mutate(
      { provider: 'meta', ...(trimmed as unknown as MetaFields), version: view.version },
      {
        onSuccess: () => announce('WhatsApp settings saved'),
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    )
  })
  const text = (name: 'phoneNumberId' | 'businessAccountId', label: string) => (
    <TextInput label={label} inputMode="numeric" spellCheck={false} autoComplete="off" {...form.getInputProps(name)} />
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {text('phoneNumberId', 'Phone number ID')}
        {text('businessAccountId', 'WhatsApp Business Account ID')}
        <SecretInput label="Access token" isKept={isKept} {...form.getInputProps('accessToken')} />
        <SecretInput label="App secret" isKept={isKept} {...form.getInputProps('appSecret')} />
        <Ending view={view} error={save.error} isPending={save.isPending} provider="meta" />
      </Stack>
    </form>
  )
}

function ByTwilioForm({ view }: { view: TextChannelView }) {
  const save = useSaveWhatsapp()
  const isKept = view.state === 'ready' && view.provider === 'twilio'
  const form = useForm<TwilioForm>({
    initialValues: isKept ? twilioForm(view) : twilioForm({ ...view, state: 'missing', identity: {} }),
    validate: (values) => twilioProblems(values, isKept),
  })
  const submit = form.onSubmit(({ accountSid, authToken, senders }) =>
    save.mutate(
      {
        provider: 'twilio',
        accountSid: accountSid.trim(),
        authToken: authToken.trim(),
        senders: sendersOf(senders),
        version: view.version,
      },
      {
        onSuccess: () => announce('WhatsApp settings saved'),
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Account SID"
          placeholder="AC…"
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('accountSid')}
        />
        <SecretInput label="Auth token" isKept={isKept} {...form.getInputProps('authToken')} />
        <SenderRows
          rows={form.values.senders}
          errors={form.errors}
          onChange={(senders) => form.setFieldValue('senders', senders)}
        />
        <Ending view={view} error={save.error} isPending={save.isPending} provider="twilio" />
      </Stack>
    </form>
  )
}

interface EndingProps {
  view: TextChannelView
  error: Error | null
  isPending: boolean
  provider: 'meta' | 'twilio'
}

function Ending({ view, error, isPending, provider }: EndingProps) {
  return (
    <>
      <SaveOutcome error={error} provider={providers[provider]} />
      <Group gap="xs">
        <Button type="submit" loading={isPending}>
          Check and save
        </Button>
        <RemoveChannel view={view} />
      </Group>
    </>
  )
}
