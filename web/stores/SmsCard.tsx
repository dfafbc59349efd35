import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { SenderRows } from './SenderRows.tsx'
import { RemoveChannel, TextChannelFrame } from './TextChannelFrame.tsx'
import { useSaveSms } from './text-queries.ts'
import { type SenderRow, senderProblems, senderRows, sendersOf } from './text-rules.ts'

export function SmsCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about="By Twilio, with an account of your own: Twilio bills you for what is sent. Shoppers get an SMS only with their express consent."
    >
      <SmsForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

export interface TwilioForm {
  accountSid: string
  authToken: string
  senders: SenderRow[]
}

export const twilioForm = (view: TextChannelView): TwilioForm => ({
  accountSid: view.identity.accountSid ?? '',
  authToken: '',
  senders: senderRows(view.state === 'ready' ? view : { senders: [] }),
})

/** `hasToken`: one is kept, and an empty field keeps it. */
export const twilioProblems = (form: TwilioForm, hasToken: boolean): Record<string, string> => ({
  ...(/^AC[0-9a-fA-F]{32}$/.test(form.accountSid.trim())
    ? {}
    : { accountSid: 'AC and 32 digits, from the Twilio console' }),
  ...(form.authToken.trim() || hasToken ? {} : { authToken: 'Please enter it' }),
  ...senderProblems(form.senders),
})

function SmsForm({ view }: { view: TextChannelView }) {
  const save = useSaveSms()
  const isKept = view.state === 'ready'
  const form = useForm<TwilioForm>({
    initialValues: {
      ...twilioForm(view),
      ...(isKept ? {} : { accountSid: '' }),
    },
    validate: (values) => twilioProblems(values, isKept),
  })
  const submit = form.onSubmit(({ accountSid, authToken, senders }) =>
    save.mutate(
      {
        accountSid: accountSid.trim(),
        authToken: authToken.trim(),
        senders: sendersOf(senders),
        version: view.version,
      },
      {
        onSuccess: () => announce('SMS settings saved'),
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
        <SaveOutcome error={save.error} provider="Twilio" />
        <Group gap="xs">
          <Button type="submit" loading={save.isPending}>
            Check and save
          </Button>
          <RemoveChannel view={view} />
        </Group>
      </Stack>
    </form>
  )
}

interface SecretProps {
  label: string
  isKept: boolean
  value?: string
  error?: React.ReactNode
  onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void
}

/** Never comes back from the server: an empty field means the one that is kept. */
export function SecretInput({ label, isKept, ...input }: SecretProps) {
  return (
    <PasswordInput
      label={label}
      {...(isKept && { description: 'Kept, and not shown. Leave empty to keep it.' })}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}`, tabIndex: 0 }}
      {...input}
    />
  )
}

export function SaveOutcome({ error, provider }: { error: Error | null; provider: string }) {
  if (!error) return null
  const isAnswer = error instanceof ApiError && error.code === 'unprocessable'
  return (
    <Notice tone="bad" title={isAnswer ? `Not saved: ${provider} answered` : 'Not saved'} isLive>
      {error.message}
    </Notice>
  )
}
