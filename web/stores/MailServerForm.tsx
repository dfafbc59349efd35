import { Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  defaultPort,
  isMailAddress,
  type MailSecurity,
  type MailServerView,
  mailSecurities,
  mailSecurityText,
  mailServerProblems,
} from '../../shared/mail-server.ts'
import { useDraft } from '../access/drafts.ts'
import { announce } from '../ui/announce.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
import { NotSaved } from '../ui/NotSaved.tsx'
import { FormEnding, SecretInput, showRefusal } from './CredentialParts.tsx'
import { useRemoveMailServer, useSaveMailServer } from './mail-server-queries.ts'
import { RemoveButton } from './RemoveButton.tsx'

interface Typed {
  host: string
  port: number | string
  security: MailSecurity
  user: string
  password: string
  fromAddress: string
}

const toFormValues = ({ server }: MailServerView): Typed => ({
  host: server?.host ?? '',
  port: server?.port ?? defaultPort.starttls,
  security: server?.security ?? 'starttls',
  user: server?.user ?? '',
  password: '',
  fromAddress: server?.fromAddress ?? '',
})

const cleaned = ({ host, port, user, fromAddress, ...rest }: Typed) => ({
  ...rest,
  host: host.trim().toLowerCase(),
  port: Number(port),
  user: user.trim(),
  fromAddress: fromAddress.trim(),
})

/** The stored password is valid only for this server, user and encryption. */
function keepsPassword({ server }: MailServerView, typed: Typed): boolean {
  if (!server?.user) return false
  const { host, port, security, user } = cleaned(typed)
  return server.host === host && server.port === port && server.security === security && server.user === user
}

const useServerForm = (view: MailServerView) =>
  useForm<Typed>({
    initialValues: toFormValues(view),
    validate: (typed) => ({
      ...mailServerProblems(cleaned(typed), view.anyPort),
      ...(typed.user.trim() &&
        !typed.password &&
        !keepsPassword(view, typed) && { password: 'This field is required' }),
    }),
  })

export function MailServerForm({ view }: { view: MailServerView }) {
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
        <ServerFields form={form} isPasswordKept={keepsPassword(view, form.values)} />
        <TextInput
          label="From address"
          description={fromHint(form.values.user)}
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

const fromHint = (user: string): string =>
  isMailAddress(user.trim())
    ? `Your emails come from this address. Leave empty to use ${user.trim()}.`
    : 'Your emails come from this address. Your email provider must be allowed to send for it.'

interface FieldsProps {
  form: ReturnType<typeof useServerForm>
  isPasswordKept: boolean
}

function ServerFields({ form, isPasswordKept }: FieldsProps) {
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
        description="Often your email address. Leave user and password empty if the server requires no sign-in."
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('user')}
      />
      <SecretInput label="Password" isKept={isPasswordKept} {...form.getInputProps('password')} />
    </>
  )
}

const Remove = () => (
  <RemoveButton title="Remove the mail server?" removed="Mail server removed" remove={useRemoveMailServer()}>
    Its password is deleted. Emails are then sent through this installation’s mail server, if it has one.
  </RemoveButton>
)
