import { SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { CredentialsEnding, SecretInput } from './CredentialParts.tsx'
import { TemplateChoice } from './TemplateChoice.tsx'
import { TextChannelFrame } from './TextChannelFrame.tsx'
import { TwilioForm } from './TwilioForm.tsx'
import { useSaveWhatsapp } from './text-queries.ts'

export function WhatsappCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about="Sent by Meta’s Cloud API or by Twilio. Shoppers get messages only with their consent. More than 24 hours after their own last message, only templates approved by WhatsApp are allowed. Marketing to US numbers is refused."
    >
      {view.state === 'ready' && <TemplateChoice key={`template ${view.version}`} view={view} />}
      <WhatsappForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

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
  const secret = (value: string) => (value.trim() || isKept ? null : 'This field is required')
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
        <CredentialsEnding view={view} save={save} provider="Meta" />
      </Stack>
    </form>
  )
}

function ByTwilioForm({ view }: { view: TextChannelView }) {
  const save = useSaveWhatsapp()
  return (
    <TwilioForm
      view={view}
      isKept={view.state === 'ready' && view.provider === 'twilio'}
      save={save}
      onSave={(credentials, onError) =>
        save.mutate(
          { provider: 'twilio', ...credentials },
          { onSuccess: () => announce('WhatsApp settings saved'), onError },
        )
      }
    />
  )
}
