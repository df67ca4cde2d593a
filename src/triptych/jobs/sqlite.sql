-- Every statement of the SQLite store, by name. Times are seconds since 1970; ids sort by time.

-- name: schema
CREATE TABLE job (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'failed')),
    -- How many results it still waits for; it is not begun before that is 0.
    blocked INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease_until REAL,
    attempt INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    started_at REAL,
    completed_at REAL,
    expires_at REAL,
    stage TEXT NOT NULL DEFAULT '',
    done INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    parent TEXT,
    error TEXT,
    waits_for TEXT NOT NULL DEFAULT '[]',
    -- What tells a repeated request: the caller's key, the request's digest, and whether it came as a retry.
    once_key TEXT,
    digest TEXT,
    retried INTEGER NOT NULL DEFAULT 0,
    -- Raised whenever one of the documents below changes. They come last: reading the rest does not touch them.
    revision INTEGER NOT NULL DEFAULT 0,
    request TEXT NOT NULL,
    plan TEXT NOT NULL,
    asked TEXT NOT NULL,
    result TEXT
);
CREATE INDEX job_by_owner ON job (owner, id);
-- With the id, so that a place in the queue is told from the index alone.
CREATE INDEX job_by_status ON job (status, id);
CREATE INDEX job_queued ON job (blocked, id) WHERE status = 'queued';
CREATE INDEX job_running ON job (worker, lease_until) WHERE status = 'in_progress';
CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX job_digest ON job (owner, digest, created_at) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX job_once ON job (owner, once_key) WHERE once_key IS NOT NULL;

CREATE TABLE file (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    file_name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    purpose TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    packed INTEGER NOT NULL,
    frame_rate REAL,
    created_at REAL NOT NULL,
    expires_at REAL
);
CREATE INDEX file_by_owner ON file (owner, id);
CREATE INDEX file_expiry ON file (expires_at) WHERE expires_at IS NOT NULL;

-- Who needs a content file: a job or an uploaded file. made_at: its time stamp when it was made here;
-- NULL for what was brought in.
CREATE TABLE holding (
    holder TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    made_at REAL,
    PRIMARY KEY (holder, sha256)
) WITHOUT ROWID;
CREATE INDEX holding_by_content ON holding (sha256);

-- Pieces that were made of a finished job's outputs.
CREATE TABLE piece (
    job TEXT NOT NULL,
    variant TEXT NOT NULL,
    number INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    PRIMARY KEY (job, variant, number)
) WITHOUT ROWID;

-- Which pieces of which results a job waits for. output: the source's video, once it is there.
CREATE TABLE need (
    job TEXT NOT NULL,
    piece TEXT NOT NULL,
    source TEXT NOT NULL,
    field TEXT NOT NULL,
    output TEXT,
    PRIMARY KEY (job, piece)
) WITHOUT ROWID;
CREATE INDEX need_by_source ON need (source);

-- What was here once, so that it can be said that its time was over.
CREATE TABLE gone (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX gone_by_time ON gone (at);

PRAGMA user_version = 1;

-- name: insert
INSERT INTO job (id, owner, kind, status, blocked, created_at, parent, waits_for, once_key, digest, retried,
                 request, plan, asked)
VALUES (:id, :owner, :kind, 'queued', :blocked, :created_at, :parent, :waits_for, :once_key, :digest, :retried,
        :request, :plan, :asked)

-- name: by_key
SELECT id, digest FROM job WHERE owner = :owner AND once_key = :key

-- name: first_of_retry
SELECT id FROM job WHERE owner = :owner AND digest = :digest AND created_at > :since ORDER BY created_at, id LIMIT 1

-- name: overtaken_by_retry
SELECT id FROM job
WHERE owner = :owner AND digest = :digest AND created_at > :received_at AND retried = 1
ORDER BY created_at, id LIMIT 1

-- name: queued
SELECT count(*) FROM job WHERE status = 'queued'

-- name: state
SELECT id, owner, kind, status, attempt, cancel_requested, created_at, started_at, completed_at, expires_at,
       stage, done, total, parent, error, waits_for, revision
FROM job WHERE id = :id

-- name: documents
SELECT revision, request, plan, asked, result FROM job WHERE id = :id

-- name: page_asc
SELECT id FROM job
WHERE owner = :owner AND id > :after AND (expires_at IS NULL OR expires_at > :now) ORDER BY id ASC LIMIT :limit

-- name: page_desc
SELECT id FROM job
WHERE owner = :owner AND id < :after AND (expires_at IS NULL OR expires_at > :now) ORDER BY id DESC LIMIT :limit

-- name: before
SELECT count(*) FROM job WHERE status = 'queued' AND id < :id

-- name: ready
SELECT 1 FROM job WHERE status = 'queued' AND blocked = 0 LIMIT 1

-- name: counts
SELECT status, count(*) FROM job GROUP BY status

-- name: claim
UPDATE job
SET status = 'in_progress', worker = :worker, lease_until = :lease_until, attempt = attempt + 1, started_at = :now,
    stage = '', done = 0, total = 0
WHERE id = (SELECT id FROM job WHERE status = 'queued' AND blocked = 0 ORDER BY id LIMIT 1)
RETURNING id, attempt

-- name: held
SELECT cancel_requested FROM job
WHERE id = :id AND worker = :worker AND attempt = :attempt AND status = 'in_progress'

-- name: beat
UPDATE job SET lease_until = :lease_until
WHERE id = :id AND worker = :worker AND attempt = :attempt AND status = 'in_progress'

-- name: progress
UPDATE job SET stage = :stage, done = :done, total = :total
WHERE id = :id AND worker = :worker AND attempt = :attempt AND status = 'in_progress'

-- name: rebind
UPDATE job SET request = :request, plan = :plan, revision = revision + 1 WHERE id = :id

-- name: complete
UPDATE job
SET status = 'completed', worker = NULL, lease_until = NULL, completed_at = :now, expires_at = :expires_at,
    done = max(done, total), result = :result, revision = revision + 1
WHERE id = :id

-- name: fail
UPDATE job
SET status = 'failed', worker = NULL, lease_until = NULL, completed_at = :now, expires_at = :expires_at, error = :error
WHERE id = :id

-- name: give_back
UPDATE job
SET status = 'queued', worker = NULL, lease_until = NULL, attempt = attempt - :uncounted, started_at = NULL,
    stage = '', done = 0, total = 0
WHERE id = :id

-- name: request_cancel
UPDATE job SET cancel_requested = 1 WHERE id = :id

-- name: owned
SELECT status, worker, attempt FROM job WHERE id = :id AND owner = :owner AND (expires_at IS NULL OR expires_at > :now)

-- name: workers
SELECT DISTINCT worker FROM job WHERE status = 'in_progress'

-- name: overdue
SELECT count(*) FROM job WHERE status = 'in_progress' AND lease_until < :now

-- name: abandoned
SELECT id, attempt, cancel_requested FROM job
WHERE status = 'in_progress' AND (worker = :worker OR lease_until < :now)

-- name: expired
SELECT id, owner FROM job WHERE expires_at <= :now LIMIT :limit

-- name: expired_files
SELECT id, owner FROM file WHERE expires_at <= :now LIMIT :limit

-- name: remove_job
DELETE FROM job WHERE id = :id

-- name: bury
INSERT OR REPLACE INTO gone (id, owner, at) VALUES (:id, :owner, :now)

-- name: forget
DELETE FROM gone WHERE at < :before

-- name: grave
SELECT 1 FROM gone WHERE id = :id AND owner = :owner

-- name: hold
INSERT INTO holding (holder, sha256, made_at) VALUES (:holder, :sha256, :made_at)
ON CONFLICT (holder, sha256) DO UPDATE SET made_at = coalesce(excluded.made_at, made_at)

-- name: holdings
SELECT sha256, made_at FROM holding WHERE holder = :holder

-- name: let_go
DELETE FROM holding WHERE holder = :holder

-- name: let_go_inputs
DELETE FROM holding WHERE holder = :holder AND made_at IS NULL

-- name: is_held
SELECT 1 FROM holding WHERE sha256 = :sha256 LIMIT 1

-- name: need
INSERT INTO need (job, piece, source, field, output) VALUES (:job, :piece, :source, :field, :output)

-- name: needs
SELECT piece, source, field, output FROM need WHERE job = :job

-- name: drop_needs
DELETE FROM need WHERE job = :job

-- name: waiting
SELECT need.job, need.piece, need.field FROM need JOIN job ON job.id = need.job
WHERE need.source = :source AND need.output IS NULL AND job.status = 'queued'
ORDER BY need.job, need.piece

-- name: meet
UPDATE need SET output = :output WHERE source = :source AND output IS NULL

-- name: unblock
UPDATE job SET blocked = (SELECT count(*) FROM need WHERE need.job = job.id AND need.output IS NULL) WHERE id = :id

-- name: source
SELECT status, expires_at, error, result FROM job WHERE id = :id AND owner = :owner

-- name: add_piece
INSERT OR REPLACE INTO piece (job, variant, number, sha256, size_bytes, media_type)
VALUES (:job, :variant, :number, :sha256, :size_bytes, :media_type)

-- name: piece
SELECT sha256, size_bytes, media_type FROM piece WHERE job = :job AND variant = :variant AND number = :number

-- name: drop_pieces
DELETE FROM piece WHERE job = :job

-- name: add_file
INSERT INTO file (id, owner, file_name, media_type, purpose, sha256, size_bytes, packed, frame_rate, created_at,
                  expires_at)
VALUES (:id, :owner, :file_name, :media_type, :purpose, :sha256, :size_bytes, :packed, :frame_rate, :created_at,
        :expires_at)

-- name: file
SELECT id, owner, file_name, media_type, purpose, sha256, size_bytes, packed, frame_rate, created_at, expires_at
FROM file WHERE id = :id

-- name: files_asc
SELECT id, owner, file_name, media_type, purpose, sha256, size_bytes, packed, frame_rate, created_at, expires_at
FROM file
WHERE owner = :owner AND id > :after AND (:purpose = '' OR purpose = :purpose)
  AND (expires_at IS NULL OR expires_at > :now)
ORDER BY id ASC LIMIT :limit

-- name: files_desc
SELECT id, owner, file_name, media_type, purpose, sha256, size_bytes, packed, frame_rate, created_at, expires_at
FROM file
WHERE owner = :owner AND id < :after AND (:purpose = '' OR purpose = :purpose)
  AND (expires_at IS NULL OR expires_at > :now)
ORDER BY id DESC LIMIT :limit

-- name: remove_file
DELETE FROM file WHERE id = :id AND owner = :owner
