# run_ranks_signals.py RUN_RANKS: signals reach the programs under wrappers, which have time to save; all output is there;
# a wrong TMPDIR or grace is told.
import os
import signal
import subprocess
import sys

run_ranks = sys.argv[1]
SAVES = "bash -c 'trap \"sleep 0.3; echo saved; exit 0\" TERM; echo ready; while :; do sleep 0.1; done'; true"
for sent in (signal.SIGINT, signal.SIGTERM):
    job = subprocess.Popen([run_ranks, "2", "--", "bash", "-c", SAVES], stdout=subprocess.PIPE, text=True)
    assert all("ready" in job.stdout.readline() for _ in range(2))
    job.send_signal(sent)
    output = job.communicate(timeout=60)[0]
    assert output.count("saved") == 2 and job.returncode == 128 + sent, (sent, job.returncode, output)
for name, value in (("TMPDIR", "/nonexistent"), ("RUN_RANKS_GRACE", "soon")):
    job = subprocess.run([run_ranks, "1", "--", "true"], env=dict(os.environ, **{name: value}), capture_output=True, text=True)
    assert job.returncode == 2 and name in job.stderr, job
