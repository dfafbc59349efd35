import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { User } from '../../shared/auth.ts'
import { hasPermission } from '../../shared/roles.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { DownloadButton } from '../ui/Download.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useExport, useForgetAccount } from './account-queries.ts'
import { DeleteDialog } from './DeleteDialog.tsx'
import { isLastOwner } from './rules.ts'
import { useLeaveTeam, useTeam } from './team-queries.ts'

export function ExportCard({ user }: { user: User }) {
  const download = useExport()
  if (!hasPermission(user.role, 'account:export')) return null
  return (
    <Card>
      <Title order={2}>Export my data</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Everything this account has: stores, carts, orders, customers, messages with the reasons behind them, consents,
        team and plan, as a zip of JSON Lines files. Keys and passwords are not in it.
      </Text>
      <Stack gap="sm" align="flex-start">
        <DownloadButton label="Download my data" isBusy={download.isPending} onClick={() => download.mutate()} />
        {download.isSuccess && (
          <Notice tone="good" isLive>
            Your download has started.
          </Notice>
        )}
        {download.error && (
          <Notice tone="bad" isLive>
            {download.error.message}
          </Notice>
        )}
      </Stack>
    </Card>
  )
}

export function LeaveCard({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  const leave = useLeaveTeam()
  const forget = useForgetAccount()
  const members = useTeam().data?.members
  if (user.isDemo || !members) return null
  const mayLeave = !isLastOwner(user.role, members)
  return (
    <Card>
      <Title order={2}>Leave this account</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {mayLeave
          ? `You lose access to ${user.accountName}. Its stores keep running.`
          : 'You are its only owner. Make someone else an owner first, or delete the account.'}
      </Text>
      {mayLeave && (
        <Button variant="default" w="fit-content" onClick={() => setAsking(true)}>
          Leave {user.accountName}
        </Button>
      )}
      <Confirm
        opened={isAsking}
        title={`Leave ${user.accountName}?`}
        confirmLabel="Leave"
        isDangerous
        isBusy={leave.isPending}
        problem={leave.error?.message}
        onConfirm={() => leave.mutate(undefined, { onSuccess: forget })}
        onClose={() => setAsking(false)}
      >
        Only an owner or admin can invite you again. If this is your only account, your sign-in is deleted with it.
      </Confirm>
    </Card>
  )
}

export function DeleteCard({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false)
  if (!hasPermission(user.role, 'account:delete') || user.isDemo) return null
  return (
    <Card>
      <Title order={2}>Delete account</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Sending stops, the subscription ends, everyone is signed out, and all data of the account and its stores is
        deleted. This happens immediately and cannot be undone, so export your data first.
      </Text>
      <Button color="red" variant="outline" w="fit-content" onClick={() => setAsking(true)}>
        Delete account
      </Button>
      <DeleteDialog opened={isAsking} user={user} onClose={() => setAsking(false)} />
    </Card>
  )
}
