import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { CredentialsEnding, SecretInput } from './CredentialParts.tsx'
import { SenderRows } from './SenderRows.tsx'
import { checkSenders, type SenderRow, toSenderRows, toSenders } from './text-rules.ts'

interface TwilioValues {
  accountSid: string
  authToken: string
  senders: SenderRow[]
}

interface Credentials {
  accountSid: string
  authToken: string
  senders: ReturnType<typeof toSenders>
  version: TextChannelView['version']
}

interface Props {
  view: TextChannelView
  /** Twilio credentials are stored: an empty token keeps the stored one. */
  isKept: boolean
  save: { error: Error | null; isPending: boolean }
  onSave: (credentials: Credentials, onError: (error: Error) => void) => void
}

/** A Twilio account with its senders, for SMS and WhatsApp. */
export function TwilioForm({ view, isKept, save, onSave }: Props) {
  const form = useForm<TwilioValues>({
    initialValues: {
      accountSid: (isKept && view.identity.accountSid) || '',
      authToken: '',
      senders: toSenderRows(isKept ? view : { senders: [] }),
    },
    validate: (values) => problems(values, isKept),
  })
  const submit = form.onSubmit(({ accountSid, authToken, senders }) =>
    onSave(
      {
        accountSid: accountSid.trim(),
        authToken: authToken.trim(),
        senders: toSenders(senders),
        version: view.version,
      },
      (error) => error instanceof ApiError && form.setErrors(error.fields),
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
        <CredentialsEnding view={view} save={save} provider="Twilio" />
      </Stack>
    </form>
  )
}

const problems = (form: TwilioValues, isKept: boolean): Record<string, string> => ({
  ...(/^AC[0-9a-fA-F]{32}$/.test(form.accountSid.trim())
    ? {}
    : { accountSid: 'AC and 32 digits, from the Twilio console' }),
  ...(form.authToken.trim() || isKept ? {} : { authToken: 'This field is required' }),
  ...checkSenders(form.senders),
})
