import { Button, Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { MailboxView } from '../../shared/bounce-mailbox.ts'
import { useDraft } from '../access/drafts.ts'
import { useMay } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { NotSaved } from '../ui/NotSaved.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { SecretInput } from './CredentialParts.tsx'
import { useBounceMailbox, useRemoveBounceMailbox, useSaveBounceMailbox } from './sending-queries.ts'

/** A mailbox of the account's own for mail that comes back. */
export function BounceMailboxCard() {
  const mailbox = useBounceMailbox()
  return (
    <Card component="section" aria-label="Mailbox for mail that comes back">
      <Title order={2}>Mailbox for mail that comes back</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Mail to an address that does not exist comes back. Give Recoup a mailbox of your own for it, and it reads there
        which addresses are bad and writes to them no more. It deletes nothing. Use a mailbox kept for this alone.
      </Text>
      {mailbox.isPending && <LoadingList count={2} />}
      {mailbox.error && <Failed title="Could not be loaded" error={mailbox.error} onRetry={() => mailbox.refetch()} />}
      {mailbox.data && <Content key={mailbox.data.mailbox?.version ?? 0} view={mailbox.data} />}
    </Card>
  )
}

function Content({ view }: { view: MailboxView }) {
  const isAllowed = useMay('flows:switch')
  return (
    <Stack gap="md">
      {view.mailbox && <State mailbox={view.mailbox} />}
      {view.isFixed && <Notice tone="info">The demo sends to the built-in mailbox only, so nothing comes back.</Notice>}
      {!view.isFixed && !isAllowed && (
        <Notice tone="info">Only the owner or an admin of the account can change this.</Notice>
      )}
      {!view.isFixed && isAllowed && <MailboxForm mailbox={view.mailbox} />}
    </Stack>
  )
}

type Mailbox = NonNullable<MailboxView['mailbox']>

function State({ mailbox: { address, problem, readAt, reports } }: { mailbox: Mailbox }) {
  if (problem) {
    return (
      <Notice tone="bad" title="The mailbox cannot be read">
        {problem} Until it can, mail leaves with the return address of the server.
      </Notice>
    )
  }
  return (
    <Notice tone="good">
      Mail comes back to {address}.{' '}
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
      address: (text) => (/^\S+@\S+\.\S+$/.test(text.trim()) ? null : 'An email address'),
      host: (text) => (text.trim() ? null : 'A name such as imap.example.com'),
      user: (text) => (text.trim() ? null : 'Please enter it'),
      password: (text) => (text || mailbox ? null : 'Please enter it'),
    },
  })
  const { password: _, ...typed } = form.values
  useDraft('bounce-mailbox', form.isDirty() ? typed : null, (draft) => form.setValues(draft))
  const submit = form.onSubmit(({ port, ...values }) =>
    save.mutate(
      { ...values, port: port === '143' ? 143 : 993, version: mailbox?.version ?? 0 },
      {
        onSuccess: () => announce('Mailbox saved'),
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Address"
          description="Where mail comes back to. The SPF record of its domain must name our mail server, as under Sender’s domain."
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
        <SecretInput label="Password" isKept={mailbox !== null} {...form.getInputProps('password')} />
        {save.error && <NotSaved>{save.error.message}</NotSaved>}
        <Group gap="xs">
          <Button type="submit" loading={save.isPending}>
            Check and save
          </Button>
          {mailbox && <Remove />}
        </Group>
      </Stack>
    </form>
  )
}

function Remove() {
  const [isAsking, setAsking] = useState(false)
  const remove = useRemoveBounceMailbox()
  const confirm = () => remove.mutate(undefined, { onSuccess: () => announce('Mailbox removed') })
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        opened={isAsking}
        title="Stop reading the mailbox?"
        confirmLabel="Remove"
        isDangerous
        isBusy={remove.isPending}
        problem={remove.error?.message}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        The password is forgotten. Mail that comes back to the address stays there, and Recoup hears of it no more.
      </Confirm>
    </>
  )
}
