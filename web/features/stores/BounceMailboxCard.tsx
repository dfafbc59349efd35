import { Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { MailboxView } from '../../../shared/delivery/bounce-mailbox.ts'
import * as mailbox from '../../../shared/delivery/bounce-mailbox.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { FormEnding, SecretInput, showRefusal } from './CredentialParts.tsx'
import { PermittedChannelForm } from './PermittedChannelForm.tsx'
import { RemoveButton } from './RemoveButton.tsx'

/** The account's own mailbox for bounces. */
export function BounceMailboxCard() {
  const mailbox = useBounceMailbox()
  return (
    <Card component="section" aria-label="Bounce mailbox">
      <Title order={2}>Bounce mailbox</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Recoup reads bounces from this mailbox and stops sending to addresses that do not exist. It deletes nothing. Use
        a separate mailbox.
      </Text>
      {mailbox.isPending && <LoadingList count={2} />}
      {mailbox.error && (
        <Failed
          title="The bounce mailbox could not be loaded"
          error={mailbox.error}
          onRetry={() => mailbox.refetch()}
        />
      )}
      {mailbox.data && <Content key={mailbox.data.mailbox?.version ?? 0} view={mailbox.data} />}
    </Card>
  )
}

const Content = ({ view }: { view: MailboxView }) => (
  <Stack gap="md">
    {view.mailbox && <State mailbox={view.mailbox} />}
    <PermittedChannelForm fixed={view.isFixed && [['Mailbox', 'None: nothing bounces in the demo mailbox']]}>
      <MailboxForm mailbox={view.mailbox} />
    </PermittedChannelForm>
  </Stack>
)

type Mailbox = NonNullable<MailboxView['mailbox']>

function State({ mailbox: { address, problem, readAt, reports } }: { mailbox: Mailbox }) {
  if (problem) {
    return (
      <Notice tone="bad" title="The mailbox cannot be read">
        {problem} Until then, your emails do not use it as the return address.
      </Notice>
    )
  }
  return (
    <Notice tone="good">
      Bounces are sent to {address}.{' '}
      {readAt && (
        <>
          Last read <TimeAgo at={readAt} />.{' '}
        </>
      )}
      {reports === 1 ? '1 report' : `${reports} reports`} so far.
    </Notice>
  )
}

function MailboxForm({ mailbox }: { mailbox: Mailbox | null }) {
  const save = useSaveBounceMailbox()
  const form = useForm({
    initialValues: {
      address: mailbox?.address ?? '',
      host: mailbox?.host ?? '',
      port: String(mailbox?.port ?? 993),
      user: mailbox?.user ?? '',
      password: '',
    },
    validate: {
      address: (text) => (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text.trim()) ? null : 'An email address'),
      host: (text) => (text.trim() ? null : 'A name such as imap.example.com'),
      user: (text) => (text.trim() ? null : 'This field is required'),
      password: (text) => (text || mailbox ? null : 'This field is required'),
    },
  })
  const { password: _, ...typed } = form.values
  useDraft('bounce-mailbox', form.isDirty() ? typed : null, (draft) => form.setValues(draft))
  const submit = form.onSubmit(({ port, ...values }) =>
    save.mutate(
      { ...values, port: port === '143' ? 143 : 993, version: mailbox?.version ?? 0 },
      {
        onSuccess: () => announce('Mailbox saved'),
        onError: (error) => showRefusal(form, error),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Address"
          description="Return address for bounces. Its domain’s SPF record must include your mail server: see Domain."
          placeholder="bounces@shop.example"
          type="email"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('address')}
        />
        <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput
            label="IMAP server"
            placeholder="imap.shop.example"
            autoComplete="off"
            spellCheck={false}
            style={{ flexBasis: 200 }}
            {...form.getInputProps('host')}
          />
          <Select
            label="Port"
            data={[
              { value: '993', label: '993 (TLS)' },
              { value: '143', label: '143 (STARTTLS)' },
            ]}
            allowDeselect={false}
            style={{ flexBasis: 150 }}
            {...form.getInputProps('port')}
          />
        </Group>
        <TextInput label="User" autoComplete="off" spellCheck={false} {...form.getInputProps('user')} />
        <SecretInput label="Password" isSaved={mailbox !== null} {...form.getInputProps('password')} />
        <FormEnding problem={save.error && <NotSaved>{save.error.message}</NotSaved>} isSaving={save.isPending}>
          {mailbox && <Remove />}
        </FormEnding>
      </Stack>
    </form>
  )
}

const Remove = () => (
  <RemoveButton title="Stop reading the mailbox?" removed="Mailbox removed" remove={useRemoveBounceMailbox()}>
    The password is deleted. Bounces stay in the mailbox, and Recoup no longer processes them.
  </RemoveButton>
)

const mailboxQuery = queryOptions({
  queryKey: ['bounce-mailbox'],
  queryFn: ({ signal }): Promise<mailbox.MailboxView> => call(mailbox.readBounceMailbox, { signal }),
})

const useBounceMailbox = () => useQuery(mailboxQuery)

/** The answer replaces the cached state. */
function useMailboxChange<Input>(change: (input: Input) => Promise<mailbox.MailboxView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => queries.setQueryData(mailboxQuery.queryKey, view),
  })
}

const useSaveBounceMailbox = () =>
  useMailboxChange((body: z.input<typeof mailbox.saveBounceMailbox.body>) => call(mailbox.saveBounceMailbox, { body }))

const useRemoveBounceMailbox = () => useMailboxChange((_: undefined) => call(mailbox.removeBounceMailbox))
