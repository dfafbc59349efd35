import { Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconMail, IconSend } from '@tabler/icons-react'
import type { User } from '../../shared/auth.ts'
import { mayManage } from '../../shared/roles.ts'
import type { Invitation } from '../../shared/team.ts'
import { announce } from '../ui/announce.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { useResend, useRevoke } from './team-queries.ts'

const badges: Record<Invitation['state'], Parameters<typeof StatusBadge>[0]> = {
  waiting: { tone: 'quiet', icon: IconSend, label: 'Sending' },
  sent: { tone: 'info', icon: IconMail, label: 'Invited' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Email not sent' },
  expired: { tone: 'warn', icon: IconClock, label: 'Expired' },
}

/** An invited person who has not accepted yet. */
export function InvitationRow({ invitation, user }: { invitation: Invitation; user: User }) {
  const resend = useResend()
  const revoke = useRevoke()
  const said = {
    onSuccess: ({ message }: { message: string }) => announce(message),
    onError: (error: Error) => announce(error.message, 'bad'),
  }
  return (
    <li className="person">
      <span className="person-sign">
        <IconMail size={18} stroke={1.6} aria-hidden />
      </span>
      <div className="person-words">
        <Group gap="xs">
          <strong>{invitation.email}</strong>
          <StatusBadge {...badges[invitation.state]} />
        </Group>
        <Text fz="sm" c="dimmed">
          As {invitation.role}
          {invitation.invitedBy && `, invited by ${invitation.invitedBy}`},{' '}
          {invitation.state === 'expired' ? 'until' : 'open until'} <DateTime at={invitation.expiresAt} />
        </Text>
        {invitation.state === 'failed' && (
          <Text fz="sm" c="var(--rc-bad)">
            The mail server’s answer: {invitation.mailProblem}
          </Text>
        )}
      </div>
      {mayManage(user.role, invitation.role) && !user.isDemo && (
        <div className="person-acts">
          <Button
            size="xs"
            variant="default"
            loading={resend.isPending}
            onClick={() => resend.mutate(invitation.id, said)}
            aria-label={`Resend the invitation to ${invitation.email}`}
          >
            Resend
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(invitation.id, said)}
            aria-label={`Revoke the invitation to ${invitation.email}`}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  )
}
