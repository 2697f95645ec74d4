"""A task for each target, four at a time. 3: a person is needed, no retry. 4, 5: the same command can go on."""

import subprocess
from datetime import datetime, timedelta

from airflow.decorators import dag, task
from airflow.exceptions import AirflowFailException

FOLDER = "/srv/imports"
TARGETS = ["north", "south"]


@dag(
    schedule="15 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    max_active_tasks=4,
    default_args={"retries": 6, "retry_delay": timedelta(minutes=15)},
)
def nightly_imports():
    @task
    def run(target: str) -> None:
        command = ["rowferry", "import", "weighings.yaml", f"inbox/{target}/", "--target", target, "--wait", "--quiet"]
        done = subprocess.run(command, cwd=FOLDER, check=False)
        if done.returncode in (1, 2, 3):
            raise AirflowFailException(f"{target} needs a person: rowferry status --target {target}")
        if done.returncode != 0:
            raise RuntimeError(f"{target} can go on (exit code {done.returncode})")

    run.expand(target=TARGETS)


nightly_imports()
