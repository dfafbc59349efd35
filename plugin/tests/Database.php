<?php

/** WordPress' $wpdb over a database in memory. */
final class Database
{
    public $prefix = 'wp_';
    public $insert_id = 0;
    /** @var string[] every statement, for counting */
    public $log = [];
    private $pdo;

    public function __construct()
    {
        $this->pdo = new PDO('sqlite::memory:');
        $this->pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        $this->pdo->exec('CREATE TABLE wp_woocommerce_api_keys (key_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id, description, permissions, consumer_key, consumer_secret, truncated_key)');
    }

    public function get_charset_collate(): string
    {
        return '';
    }

    public function prepare(string $sql, ...$values): string
    {
        return preg_replace_callback('/%[sdi]/', function (array $found) use (&$values): string {
            $value = array_shift($values);
            if ($found[0] === '%i') {
                return '`' . $value . '`';
            }
            return $found[0] === '%d' ? (string) (int) $value : $this->pdo->quote((string) $value);
        }, $sql);
    }

    /** Translates the plugin's MySQL statements to SQLite. */
    private function translate(string $sql): string
    {
        if (strpos($sql, 'CREATE TABLE IF NOT EXISTS `wp_recoup_outbox`') === 0) {
            // Like databases that restart after the highest remaining id.
            return 'CREATE TABLE IF NOT EXISTS wp_recoup_outbox (id INTEGER PRIMARY KEY, name TEXT UNIQUE, made_at INTEGER, claim TEXT DEFAULT "", claimed_at INTEGER DEFAULT 0, entry TEXT)';
        }
        return preg_replace('/^(UPDATE|DELETE FROM) (\S+)(.*) ORDER BY id LIMIT (\d+)$/s', '$1 $2$3 AND id IN (SELECT id FROM $2 WHERE name <> "mark"' . $this->claimCondition($sql) . ' ORDER BY id LIMIT $4)', $sql);
    }

    private function claimCondition(string $sql): string
    {
        return preg_match('/claimed_at < (\d+)/', $sql, $found) ? ' AND claimed_at < ' . $found[1] : '';
    }

    public function query(string $sql)
    {
        $this->log[] = $sql;
        return $this->pdo->exec($this->translate(trim($sql)));
    }

    public function get_results(string $sql): array
    {
        $this->log[] = $sql;
        return $this->pdo->query($sql)->fetchAll(PDO::FETCH_OBJ);
    }

    public function get_var(string $sql)
    {
        $this->log[] = $sql;
        $value = $this->pdo->query($sql)->fetchColumn();
        return $value === false ? null : $value;
    }

    private function write(string $verb, string $table, array $row): int
    {
        $this->log[] = "$verb $table";
        $marks = implode(',', array_fill(0, count($row), '?'));
        $statement = $this->pdo->prepare("$verb INTO `$table` (" . implode(',', array_keys($row)) . ") VALUES ($marks)");
        $statement->execute(array_values($row));
        $this->insert_id = (int) $this->pdo->lastInsertId();
        return $statement->rowCount();
    }

    public function replace(string $table, array $row, array $formats = []): int
    {
        return $this->write('REPLACE', $table, $row);
    }

    public function insert(string $table, array $row, array $formats = []): int
    {
        return $this->write('INSERT', $table, $row);
    }

    public function delete(string $table, array $where, array $formats = []): int
    {
        $parts = array_map(function (string $name): string {
            return "$name = ?";
        }, array_keys($where));
        $statement = $this->pdo->prepare("DELETE FROM `$table` WHERE " . implode(' AND ', $parts));
        $statement->execute(array_values($where));
        return $statement->rowCount();
    }
}
