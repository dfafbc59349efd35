import { Button, Card, Group, NumberInput, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle, IconCircleCheck, IconInbox, IconMinus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import * as api from '../../../shared/delivery/mail-server.ts'
import {
  defaultPort,
  findMailServerProblems,
  isMailAddress,
  type MailSecurity,
  type MailServerView,
  mailSecurities,
  mailSecurityText,
} from '../../../shared/delivery/mail-server.ts'
import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { useDraft } from '../../core/access/drafts.ts'
import { useInstance } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo, TimeUntil } from '../../core/ui/Time.tsx'
import { FormEnding, SecretInput, showRefusal } from './CredentialParts.tsx'
import { findPreset, type MailPreset, mailPresets } from './mail-presets.ts'
import { mailServerQuery, useMailServer } from './mail-server-queries.ts'
import { PermittedChannelForm } from './PermittedChannelForm.tsx'
import { RemoveButton } from './RemoveButton.tsx'

/** How the account's mail is sent, and its own mail server. */
export function MailServerCard() {
  const view = useMailServer()
  return (
    <Card component="section" aria-label="Mail server">
      <div style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 8 }}>
        <Title order={2}>Mail server</Title>
        {view.data && <StatusBadge {...getBadge(view.data)} />}
      </div>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Your emails are sent through your own email provider.
      </Text>
      {view.isPending && <LoadingList count={4} />}
      {view.error && !view.data && (
        <Failed title="The mail server could not be loaded" error={view.error} onRetry={() => view.refetch()} />
      )}
      {view.data && <Content key={view.data.server?.version ?? 0} view={view.data} />}
    </Card>
  )
}

function getBadge({ way, server, isFixed }: MailServerView) {
  if (way === 'mailbox')
    return { tone: 'info', icon: IconInbox, label: isFixed ? 'Demo mailbox' : 'Email stays on this server' } as const
  if (way === 'none') return { tone: 'warn', icon: IconAlertTriangle, label: 'No mail server' } as const
  if (server?.problem) return { tone: 'bad', icon: IconAlertTriangle, label: 'Not accepting email' } as const
  return way === 'own'
    ? ({ tone: 'good', icon: IconCircleCheck, label: 'Set up' } as const)
    : ({ tone: 'quiet', icon: IconMinus, label: 'Shared server' } as const)
}

function Content({ view }: { view: MailServerView }) {
  // Without a mail server of its own, an installation cannot send the confirmation link, and does not ask for it.
  const isAsked = useInstance()?.mail !== 'none'
  return (
    <Stack gap="md">
      <ServerState view={view} />
      <PermittedChannelForm fixed={view.isFixed && listFixed(view)}>
        <ConfirmFirst what="save a mail server" isFree={!isAsked} />
        <MailServerForm view={view} />
      </PermittedChannelForm>
    </Stack>
  )
}

/** The demo's server. */
const listFixed = ({ from, mailboxUrl }: MailServerView): [string, ReactNode][] => [
  [
    'Sent to',
    mailboxUrl ? (
      <a key="mailbox" href={mailboxUrl} target="_blank" rel="noreferrer">
        Demo mailbox
      </a>
    ) : (
      'Demo mailbox'
    ),
  ],
  ['From address', from],
]

/** Current state. */
function ServerState({ view: { way, server, from, acceptedAt, mailboxUrl, isFixed } }: { view: MailServerView }) {
  if (isFixed) return null
  if (way === 'none') {
    return (
      <Notice tone="warn" title="No email is sent">
        Messages wait, and flows with emails cannot be switched on. Set up a mail server below.
      </Notice>
    )
  }
  if (way === 'mailbox') {
    return (
      <Notice tone="info" title="Email stays on this server">
        Emails go to the built-in mailbox, not to your shoppers, until you set up a mail server.{' '}
        {mailboxUrl && (
          <a href={mailboxUrl} target="_blank" rel="noreferrer">
            Open the mailbox
          </a>
        )}
      </Notice>
    )
  }
  if (server?.problem) return <ServerProblem server={server} />
  return (
    <Notice tone={acceptedAt ? 'good' : 'info'}>
      {way === 'own'
        ? `Emails are sent through ${server?.host}`
        : 'Emails are sent through this installation’s mail server'}
      , from {from}.{' '}
      {acceptedAt ? (
        <>
          Test email sent <TimeAgo at={acceptedAt} />.
        </>
      ) : (
        'No test email sent yet. Send one below.'
      )}
    </Notice>
  )
}

function ServerProblem({ server }: { server: NonNullable<MailServerView['server']> }) {
  return (
    <Notice tone="bad" title={`${server.host} is not accepting email`}>
      {server.failingSince && (
        <>
          Since <TimeAgo at={server.failingSince} />.{' '}
        </>
      )}
      Next attempt {server.triesAt ? <TimeUntil at={server.triesAt} /> : 'with the next message'}. Messages wait up to
      24 hours. Its answer: {server.problem}
    </Notice>
  )
}

interface FormValues {
  host: string
  port: number | string
  security: MailSecurity
  user: string
  password: string
  fromAddress: string
}

const toFormValues = ({ server }: MailServerView): FormValues => ({
  host: server?.host ?? '',
  port: server?.port ?? defaultPort.starttls,
  security: server?.security ?? 'starttls',
  user: server?.user ?? '',
  password: '',
  fromAddress: server?.fromAddress ?? '',
})

const cleaned = ({ host, port, user, fromAddress, ...rest }: FormValues) => ({
  ...rest,
  host: host.trim().toLowerCase(),
  port: Number(port),
  user: user.trim(),
  fromAddress: fromAddress.trim(),
})

/** The stored password is valid only for this server, user and encryption. */
function keepsPassword({ server }: MailServerView, typed: FormValues): boolean {
  if (!server?.user) return false
  const { host, port, security, user } = cleaned(typed)
  return server.host === host && server.port === port && server.security === security && server.user === user
}

const useServerForm = (view: MailServerView) =>
  useForm<FormValues>({
    initialValues: toFormValues(view),
    validate: (typed) => ({
      ...findMailServerProblems(cleaned(typed), view.anyPort),
      ...(typed.user.trim() &&
        !typed.password &&
        !keepsPassword(view, typed) && { password: 'This field is required' }),
    }),
  })

function MailServerForm({ view }: { view: MailServerView }) {
  const save = useSaveMailServer()
  const form = useServerForm(view)
  const { password: _, ...typed } = form.values
  useDraft('mail-server', form.isDirty() ? typed : null, (draft) => form.setValues(draft))
  const submit = form.onSubmit(
    (values) =>
      save.mutate(
        { ...cleaned(values), version: view.server?.version ?? 0 },
        {
          onSuccess: () => announce('Mail server saved'),
          onError: (error) => showRefusal(form, error),
        },
      ),
    () => focusFirstError(),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Presets form={form} />
        <ServerFields form={form} isPasswordSaved={keepsPassword(view, form.values)} />
        <TextInput
          label="From address"
          description={describeFromAddress(form.values.user)}
          required={!isMailAddress(form.values.user.trim())}
          withAsterisk={false}
          placeholder="hello@shop.example"
          type="email"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('fromAddress')}
        />
        <FormEnding problem={save.error && <NotSaved>{save.error.message}</NotSaved>} isSaving={save.isPending}>
          {view.server && <Remove />}
        </FormEnding>
      </Stack>
    </form>
  )
}

const describeFromAddress = (user: string): string =>
  isMailAddress(user.trim())
    ? `Shoppers see this sender. Leave empty to use ${user.trim()}.`
    : 'Shoppers see this sender. Verify it with your email provider.'

/** Fills server, port and encryption; user and password follow from the provider. */
function Presets({ form }: { form: ReturnType<typeof useServerForm> }) {
  const chosen = findPreset(form.values.host)
  const fill = ({ host, port, security, user }: MailPreset) => {
    form.clearErrors()
    // The user of another preset, such as "apikey", means nothing here.
    const isPresetUser = mailPresets.some((preset) => preset.user === form.values.user)
    form.setValues({ host, port, security, ...((user || isPresetUser) && { user: user ?? '' }) })
  }
  return (
    <div>
      <Text fz="sm" fw={550} mb={6} id="mail-presets">
        Provider
      </Text>
      <Group gap="xs" role="group" aria-labelledby="mail-presets">
        {mailPresets.map((preset) => (
          <Button
            key={preset.name}
            size="xs"
            variant={chosen === preset ? 'light' : 'default'}
            aria-pressed={chosen === preset}
            onClick={() => fill(preset)}
          >
            {preset.name}
          </Button>
        ))}
      </Group>
      <Text fz="sm" c="dimmed" mt={8} role="status">
        {chosen?.signIn}
      </Text>
    </div>
  )
}

interface FieldsProps {
  form: ReturnType<typeof useServerForm>
  isPasswordSaved: boolean
}

function ServerFields({ form, isPasswordSaved }: FieldsProps) {
  const choose = (value: string | null) => {
    const security = mailSecurities.find((each) => each === value) ?? 'starttls'
    // Set the usual port unless the user entered another.
    const isUsual = Number(form.values.port) === defaultPort[form.values.security]
    form.setValues({ security, ...(isUsual && { port: defaultPort[security] }) })
  }
  return (
    <>
      <TextInput
        label="Server"
        placeholder="smtp.example.com"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('host')}
      />
      <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label="Encryption"
          data={mailSecurities.map((value) => ({ value, label: mailSecurityText[value] }))}
          allowDeselect={false}
          style={{ flexBasis: 180 }}
          {...form.getInputProps('security')}
          onChange={choose}
        />
        <NumberInput
          label="Port"
          min={1}
          max={65_535}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          style={{ flexBasis: 110 }}
          {...form.getInputProps('port')}
        />
      </Group>
      <TextInput
        label="User"
        description="Leave user and password empty if the server needs no sign-in"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('user')}
      />
      <SecretInput label="Password" isSaved={isPasswordSaved} {...form.getInputProps('password')} />
    </>
  )
}

const Remove = () => (
  <RemoveButton title="Remove the mail server?" removed="Mail server removed" remove={useRemoveMailServer()}>
    Its password is deleted. Emails are then sent through this installation’s mail server, if it has one.
  </RemoveButton>
)

/** The answer replaces the cached state. Switches and tests depend on it. */
function useMailServerChange<Input>(change: (input: Input) => Promise<api.MailServerView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => {
      queries.setQueryData(mailServerQuery.queryKey, view)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'store' })
    },
  })
}

const useSaveMailServer = () =>
  useMailServerChange((body: z.input<typeof api.saveMailServer.body>) => call(api.saveMailServer, { body }))

const useRemoveMailServer = () => useMailServerChange((_: undefined) => call(api.removeMailServer))
