<?php

namespace Recoup\WooCommerce;

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- The plugin's own table has no WordPress API, and a queue read from a cache would send entries twice or not at all.

/**
 * The queue of entries to send (decision 105): one row per cart and per order, always the latest state. The row's id is
 * the protocol's `seq` and must never repeat. The row "mark" stays when the queue is empty, because some databases
 * restart after the highest remaining id.
 */
final class Outbox
{
    public const MAX_ROWS = 10000;
    public const MAX_AGE_S = 7 * DAY_IN_SECONDS;
    public const BATCH = 50;
    /** Maximum size of a batch, below Recoup's limit of 512 KB. */
    private const MAX_BYTES = 450000;
    private const MARK = 'mark';
    /** Longer than one call takes. */
    private const CLAIM_TTL_S = 60;

    public static function getTableName(): string
    {
        global $wpdb;
        return $wpdb->prefix . 'recoup_outbox';
    }

    public static function create(): void
    {
        global $wpdb;
        // phpcs:disable WordPress.DB.PreparedSQL.NotPrepared -- WordPress supplies the collation clause.
        $wpdb->query($wpdb->prepare(
            'CREATE TABLE IF NOT EXISTS %i (
                id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
                name varchar(80) NOT NULL,
                made_at bigint(20) unsigned NOT NULL,
                claim varchar(32) NOT NULL DEFAULT "",
                claimed_at bigint(20) unsigned NOT NULL DEFAULT 0,
                entry longtext NOT NULL,
                PRIMARY KEY (id),
                UNIQUE KEY name (name)
            ) ' . $wpdb->get_charset_collate(),
            self::getTableName()
        ));
        // phpcs:enable WordPress.DB.PreparedSQL.NotPrepared
    }

    public static function drop(): void
    {
        global $wpdb;
        $wpdb->query($wpdb->prepare('DROP TABLE IF EXISTS %i', self::getTableName()));
    }

    public static function forget(string $name): void
    {
        global $wpdb;
        $wpdb->delete(self::getTableName(), ['name' => $name]);
    }

    /** Replaces the entry of the same name, and merges the consent boxes that both report. */
    public static function put(string $name, array $entry): void
    {
        global $wpdb;
        $forms = ($entry['forms'] ?? []) + self::readForms($name);
        if ($forms !== []) {
            $entry['forms'] = $forms;
        }
        $text = Api::encodeJson($entry);
        if ($text === '' || $text === '[]' || $text === '{}') {
            return;
        }
        $wpdb->replace(
            self::getTableName(),
            ['name' => $name, 'made_at' => time(), 'claim' => '', 'claimed_at' => 0, 'entry' => $text],
            ['%s', '%d', '%s', '%d', '%s']
        );
    }

    /** Returns the consent boxes of the queued entry with this name. */
    private static function readForms(string $name): array
    {
        global $wpdb;
        $text = $wpdb->get_var($wpdb->prepare('SELECT entry FROM %i WHERE name = %s', self::getTableName(), $name));
        $forms = json_decode((string) $text, true)['forms'] ?? [];
        return is_array($forms) ? $forms : [];
    }

    /** Claims rows for one call, oldest first, so that no other process sends them. */
    public static function claim(int $limit = self::BATCH): array
    {
        global $wpdb;
        $table = self::getTableName();
        $claim = bin2hex(random_bytes(16));
        $now = time();
        $claimed = $wpdb->query($wpdb->prepare(
            'UPDATE %i SET claim = %s, claimed_at = %d WHERE name <> %s AND claimed_at < %d ORDER BY id LIMIT %d',
            $table,
            $claim,
            $now,
            self::MARK,
            $now - self::CLAIM_TTL_S,
            $limit
        ));
        if (!$claimed) {
            return [];
        }
        $rows = $wpdb->get_results(
            $wpdb->prepare('SELECT id, name, made_at, entry FROM %i WHERE claim = %s ORDER BY id', $table, $claim)
        );
        return is_array($rows) ? $rows : [];
    }

    /** Builds a batch's body from as many rows as fit, and lists their ids. */
    public static function buildBatch(array $rows): array
    {
        $entries = [];
        $ids = [];
        $bytes = 0;
        foreach ($rows as $row) {
            $head = '{"seq":' . (int) $row->id . ',"age":' . max(0, time() - (int) $row->made_at) . ',';
            $text = $head . substr((string) $row->entry, 1);
            $bytes += strlen($text) + 1;
            if ($bytes > self::MAX_BYTES && $ids !== []) {
                break;
            }
            $entries[] = $text;
            $ids[] = (int) $row->id;
        }
        $about = Api::encodeJson(['v' => 1, 'plugin' => Plugin::VERSION, 'install' => Connection::read('install')]);
        return ['body' => substr($about, 0, -1) . ',"entries":[' . implode(',', $entries) . ']}', 'ids' => $ids];
    }

    /** Removes sent rows. A newer entry of the same name has another id and stays. */
    public static function remove(array $ids): void
    {
        global $wpdb;
        if ($ids === []) {
            return;
        }
        $table = self::getTableName();
        $wpdb->replace($table, ['name' => self::MARK, 'made_at' => time(), 'entry' => ''], ['%s', '%d', '%s']);
        // phpcs:disable WordPress.DB.PreparedSQL.NotPrepared, WordPress.DB.PreparedSQLPlaceholders -- As many marks as there are ids.
        $wpdb->query($wpdb->prepare('DELETE FROM %i WHERE id IN (' . self::buildPlaceholders($ids) . ')', $table, ...array_values($ids)));
        // phpcs:enable WordPress.DB.PreparedSQL.NotPrepared, WordPress.DB.PreparedSQLPlaceholders
    }

    /** Releases the claim, so that the rows can be sent again before it expires. */
    public static function release(array $ids): void
    {
        global $wpdb;
        if ($ids !== []) {
            $sql = 'UPDATE %i SET claim = %s, claimed_at = 0 WHERE id IN (' . self::buildPlaceholders($ids) . ')';
            // phpcs:disable WordPress.DB.PreparedSQL.NotPrepared, WordPress.DB.PreparedSQLPlaceholders -- As many marks as there are ids.
            $wpdb->query($wpdb->prepare($sql, self::getTableName(), '', ...array_values($ids)));
            // phpcs:enable WordPress.DB.PreparedSQL.NotPrepared, WordPress.DB.PreparedSQLPlaceholders
        }
    }

    private static function buildPlaceholders(array $ids): string
    {
        return implode(',', array_fill(0, count($ids), '%d'));
    }

    /** Deletes rows above the age and size limits; returns how many. */
    public static function prune(): int
    {
        global $wpdb;
        $table = self::getTableName();
        $dropped = (int) $wpdb->query(
            $wpdb->prepare('DELETE FROM %i WHERE name <> %s AND made_at < %d', $table, self::MARK, time() - self::MAX_AGE_S)
        );
        $over = self::count() - self::MAX_ROWS;
        if ($over > 0) {
            $dropped += (int) $wpdb->query(
                $wpdb->prepare('DELETE FROM %i WHERE name <> %s ORDER BY id LIMIT %d', $table, self::MARK, $over)
            );
        }
        return $dropped;
    }

    /**
     * Finds a person's queued entries by id: those that contain the address (case-insensitive) or belong to the
     * account.
     */
    public static function findByPerson(string $email, int $user): array
    {
        global $wpdb;
        $table = self::getTableName();
        // The query matches too much. The decoded entry decides.
        $rows = $wpdb->get_results($wpdb->prepare(
            'SELECT id, entry FROM %i WHERE name <> %s AND (LOWER(entry) LIKE %s OR entry LIKE %s OR entry LIKE %s)',
            $table,
            self::MARK,
            '%' . strtolower($email) . '%',
            '%"customer":{"id":"' . $user . '"%',
            '%"customer_id":' . $user . ',%'
        ));
        $found = [];
        foreach (is_array($rows) ? $rows : [] as $row) {
            $entry = json_decode((string) $row->entry, true);
            if (is_array($entry) && (self::hasAddress($entry, $email) || self::belongsToUser($entry, $user))) {
                $found[(int) $row->id] = (string) $row->entry;
            }
        }
        return $found;
    }

    private static function hasAddress(array $entry, string $email): bool
    {
        $has = false;
        array_walk_recursive($entry, static function ($value) use ($email, &$has): void {
            $has = $has || (is_string($value) && strcasecmp(trim($value), $email) === 0);
        });
        return $has;
    }

    private static function belongsToUser(array $entry, int $user): bool
    {
        $ids = [$entry['customer']['id'] ?? null, $entry['order']['customer_id'] ?? null];
        return $user > 0 && in_array((string) $user, array_map('strval', array_filter($ids, 'is_scalar')), true);
    }

    public static function count(): int
    {
        global $wpdb;
        $table = self::getTableName();
        return (int) $wpdb->get_var($wpdb->prepare('SELECT COUNT(*) FROM %i WHERE name <> %s', $table, self::MARK));
    }

    public static function readOldestAgeS(): int
    {
        global $wpdb;
        $table = self::getTableName();
        $oldest = $wpdb->get_var($wpdb->prepare('SELECT MIN(made_at) FROM %i WHERE name <> %s', $table, self::MARK));
        return $oldest === null ? 0 : max(0, time() - (int) $oldest);
    }

    public static function readHighestSeq(): int
    {
        global $wpdb;
        return (int) $wpdb->get_var($wpdb->prepare('SELECT MAX(id) FROM %i', self::getTableName()));
    }
}
